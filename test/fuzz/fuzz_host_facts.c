/* Fuzz target: what a MoM answers to a question about its host, by what it knows itself
 * and by a line of its configuration, with parameters that come from afar.
 *
 * The first line of the input is the question. The second one is what the configuration
 * says of "own": a value, or a command behind an exclamation mark; no command has time,
 * so none is begun. The other lines are keys of parameters of that command.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/shell/host_facts.h"

#include "lib/wire/rm.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

/* The line that stands at '*at', which moves behind it; "" behind the last one. */
static const char *take_line(char **at)
{
    char *line = *at, *end = strchr(line, '\n');

    *at = end ? end + 1 : line + strlen(line);
    if (end)
        *end = '\0';
    return line;
}

/* "QUERY=VALUE", and a value is never longer than it may be. */
static void check_answer(const char *query, const char *value)
{
    const struct host_resource own = { "own", value };
    struct host_running running;
    struct host_facts f = {
        .home = "/nonexistent", .running = &running, .n_own = 1, .own = &own
    };
    size_t len = strlen(query);
    struct buf out = { 0 };

    host_running_init(&running);
    host_facts_answer(&f, query, &out);
    FUZZ_CHECK(out.len > len && memcmp(out.data, query, len) == 0);
    FUZZ_CHECK(out.data[len] == '=' && out.len - len - 1 <= RM_MAX_VALUE);
    FUZZ_CHECK(f.told_bytes <= RM_MAX_VALUE);
    buf_fini(&out);
    host_facts_fini(&f);
    host_running_fini(&running);
}

/* Whatever the values are, what the shell reads is the same: no byte of them is in it.
 */
static void check_command(const char *command, size_t n, struct host_param *params)
{
    struct buf harmless = { 0 }, hostile = { 0 };
    bool is_filled = host_script_fill(command, n, params, &harmless);

    for (size_t i = 0; i < n; i++)
        params[i].value = "\"';$(id)";
    FUZZ_CHECK(host_script_fill(command, n, params, &hostile) == is_filled);
    FUZZ_CHECK(harmless.len == hostile.len &&
               memcmp(harmless.data, hostile.data, hostile.len) == 0);
    /* Without parameters a command is as the administrator has written it. */
    buf_clear(&harmless);
    FUZZ_CHECK(host_script_fill(command, 0, params, &harmless));
    FUZZ_CHECK(harmless.len == strlen(command) &&
               memcmp(harmless.data, command, harmless.len) == 0);
    buf_fini(&harmless);
    buf_fini(&hostile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct host_param params[HOST_PARAMS];
    char *text = fuzz_text(data, len), *at = text;
    const char *query = take_line(&at), *value = take_line(&at);
    size_t n = 0;

    check_answer(query, value);
    (void)host_is_among(query, &value, 1);
    while (*at && n < HOST_PARAMS)
        params[n++] = (struct host_param){ .key = take_line(&at), .value = "x" };
    check_command(value + (value[0] == '!'), n, params);
    free(text);
    return 0;
}

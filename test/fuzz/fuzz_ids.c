/* Fuzz target: identifiers and names, of the server and of the commands' operands.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/common/operand.h"
#include "include/pbs_ifl.h"
#include "lib/attr/ids.h"

#include "fuzz.h"

const char fuzz_frames[] = "";

/* Operands are completed with the default server, which is not libpbs's here. */
char *pbs_default(void)
{
    static char name[] = "svr.example.com";

    return name;
}

static void check_operands(const char *text)
{
    char id[OPERAND_MAX], server[OPERAND_MAX];

    if (operand_job(text, id, server))
        FUZZ_CHECK(strlen(id) < OPERAND_MAX && strlen(server) < OPERAND_MAX);
    if (operand_resv(text, id, server))
        FUZZ_CHECK(strlen(id) < OPERAND_MAX && strlen(server) < OPERAND_MAX);
    if (operand_destination(text, id, server))
        FUZZ_CHECK(strlen(id) < OPERAND_MAX && strlen(server) < OPERAND_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *arena = arena_new();
    char *text = fuzz_text(data, len);
    struct job_id id;
    const char *key;

    if (job_id_parse(text, arena, &id)) {
        FUZZ_CHECK(id.array == (id.index != NULL));
        FUZZ_CHECK(!id.server || *id.server);
    }
    if (resv_id_key(text, arena, &key))
        FUZZ_CHECK(*key);
    FUZZ_CHECK(!job_name_is_valid(text) || strlen(text) <= NAME_MAX_JOB);
    FUZZ_CHECK(!queue_name_is_valid(text) || strlen(text) <= NAME_MAX_QUEUE);
    check_operands(text);
    free(text);
    arena_free(arena);
    return 0;
}

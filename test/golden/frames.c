/* frames.c - see frames.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRAMES 1000

static unsigned hex_value(char c)
{
    if (isdigit((unsigned char)c))
        return (unsigned)(c - '0');
    if (c < 'a' || c > 'f')
        errx(2, "not a hex digit: %c", c);
    return (unsigned)(c - 'a' + 10);
}

static size_t from_hex(char *to, const char *s)
{
    size_t n = 0;

    for (; s[0] && s[1]; s += 2)
        to[n++] = (char)(hex_value(s[0]) << 4 | hex_value(s[1]));
    return n;
}

static size_t from_text(char *to, const char *s)
{
    size_t n = 0;

    while (*s) {
        if (*s != '\\') {
            to[n++] = *s++;
        } else if (s[1] == 'x') {
            to[n++] = (char)(hex_value(s[2]) << 4 | hex_value(s[3]));
            s += 4;
        } else {
            to[n++] = s[1] == 'n' ? '\n' : s[1];
            s += 2;
        }
    }
    return n;
}

static char *word(char **at)
{
    char *s = strsep(at, " ");

    if (!s || !*at)
        errx(2, "a frame needs kind, name, direction and bytes");
    return s;
}

static struct frame parse(struct arena *arena, const char *line)
{
    char *at = arena_strdup(arena, line);
    char *bytes = arena_alloc(arena, strlen(line) + 1);
    struct frame f = { .kind = word(&at), .name = word(&at), .data = bytes };

    f.direction = word(&at)[0];
    f.len = strcmp(f.kind, "tpp") == 0 || strcmp(f.kind, "packet") == 0
                ? from_hex(bytes, at)
                : from_text(bytes, at);
    return f;
}

/* The lines of a file below the source tree that are neither empty nor comments. */
static struct frames load(struct arena *arena, const char *file,
                          struct frame (*parse_line)(struct arena *, const char *))
{
    const char *top = getenv("top_srcdir");
    char *path = arena_printf(arena, "%s/test/%s", top ? top : ".", file);
    struct frames got = { 0, ARENA_ARRAY(arena, struct frame, MOST_FRAMES) };
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;

    if (!f)
        err(2, "%s", path);
    while (getline(&line, &cap, f) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line == '#' || !*line)
            continue;
        if (got.n == MOST_FRAMES)
            errx(2, "%s: too many frames", path);
        got.v[got.n++] = parse_line(arena, line);
    }
    free(line);
    fclose(f);
    return got;
}

struct frames frames_load(struct arena *arena, const char *file)
{
    return load(arena, arena_printf(arena, "golden/frames/%s", file), parse);
}

static struct frame parse_input(struct arena *arena, const char *line)
{
    char *bytes = arena_alloc(arena, strlen(line) + 1);

    return (struct frame){
        .kind = "input", .name = "", .data = bytes, .len = from_text(bytes, line)
    };
}

struct frames inputs_load(struct arena *arena, const char *file)
{
    return load(arena, arena_printf(arena, "fuzz/corpus/%s", file), parse_input);
}

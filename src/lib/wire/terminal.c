/* terminal.c - see terminal.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/terminal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TYPE_WORD   "TERM="
#define WINDOW_WORD "WINSIZE "

bool terminal_put_id(const char *job_id, uint8_t bytes[TERMINAL_ID_BYTES])
{
    size_t len = strlen(job_id);

    if (len == 0 || len >= TERMINAL_ID_BYTES)
        return false;
    memset(bytes, 0, TERMINAL_ID_BYTES);
    memcpy(bytes, job_id, len);
    return true;
}

/* A type becomes a variable of the job's environment, and programs look for a file of
 * that name. */
static bool is_of_type(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("+-._,", c));
}

/* A comma is protected, since the type becomes an entry of a list with commas at the
 * MoMs of PBS. The length of the type, 0 when it cannot be sent. */
static size_t put_type(const char *type, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, TYPE_WORD);

    for (; *type; type++) {
        /* Room for two characters and the NUL. */
        if (n + 3 > size || !is_of_type(*type))
            return 0;
        if (*type == ',')
            text[n++] = '\\';
        text[n++] = *type;
    }
    text[n] = '\0';
    return n - strlen(TYPE_WORD);
}

void terminal_put(const struct terminal *t, uint8_t bytes[TERMINAL_BYTES])
{
    char text[TERMINAL_FIELD_BYTES] = "";
    uint8_t *at = bytes;
    int n;

    /* The filler is sent to another host, so it is not what the stack held. */
    memset(bytes, 0, TERMINAL_BYTES);
    if (put_type(t->type, text, sizeof(text)) == 0)
        snprintf(text, sizeof(text), TYPE_WORD "unknown");
    memcpy(at, text, strlen(text));
    at += TERMINAL_FIELD_BYTES;
    memcpy(at, t->control, TERMINAL_N_CONTROL);
    at += TERMINAL_N_CONTROL;
    n = snprintf(text, sizeof(text), WINDOW_WORD "%hu,%hu,%hu,%hu", t->rows, t->cols,
                 t->x_pixels, t->y_pixels);
    MUST(n > 0 && n < TERMINAL_FIELD_BYTES); /* four numbers of five digits */
    memcpy(at, text, (size_t)n);
}

/* The text behind 'word' of a field; NULL when it does not begin so or does not end. */
static const char *text_behind(const uint8_t *field, const char *word)
{
    size_t len = strlen(word);

    if (!memchr(field, '\0', TERMINAL_FIELD_BYTES))
        return NULL;
    return strncmp((const char *)field, word, len) == 0 ? (const char *)field + len
                                                        : NULL;
}

static bool get_type(const char *text, char type[TERMINAL_FIELD_BYTES])
{
    size_t n = 0;

    for (; *text; text++) {
        if (*text == '\\' && text[1] == ',')
            continue;
        if (!is_of_type(*text))
            return false;
        type[n++] = *text;
    }
    type[n] = '\0';
    return n > 0;
}

static bool get_number(const char **at, char end, unsigned short *ret)
{
    unsigned long n = 0;
    const char *p = *at;

    while (isdigit((unsigned char)*p) && n <= UINT16_MAX)
        n = n * 10 + (unsigned long)(*p++ - '0');
    if (p == *at || *p != end || n > UINT16_MAX)
        return false;
    *ret = (unsigned short)n;
    *at = p + 1;
    return true;
}

bool terminal_get(const uint8_t bytes[TERMINAL_BYTES], struct terminal *ret)
{
    const uint8_t *control = bytes + TERMINAL_FIELD_BYTES;
    const char *type = text_behind(bytes, TYPE_WORD);
    const char *window = text_behind(control + TERMINAL_N_CONTROL, WINDOW_WORD);
    struct terminal t = { 0 };

    if (!type || !window || !get_type(type, t.type))
        return false;
    if (!get_number(&window, ',', &t.rows) || !get_number(&window, ',', &t.cols) ||
        !get_number(&window, ',', &t.x_pixels) ||
        !get_number(&window, '\0', &t.y_pixels))
        return false;
    memcpy(t.control, control, TERMINAL_N_CONTROL);
    *ret = t;
    return true;
}

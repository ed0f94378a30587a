/* indices.c - see indices.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/indices.h"

#include "lib/base/diag.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64

enum read_number {
    NUMBER_NONE,
    NUMBER_READ,
    NUMBER_TOO_LARGE
};

static enum read_number read_number(const char **at, int64_t *ret)
{
    int64_t n = 0;
    bool fits = true;

    if (!isdigit((unsigned char)**at))
        return NUMBER_NONE;
    for (; isdigit((unsigned char)**at); ++*at)
        fits = fits && !__builtin_mul_overflow(n, 10, &n) &&
               !__builtin_add_overflow(n, **at - '0', &n);
    /* The largest number of a long is what clients make of all that are larger. */
    if (!fits || n == INT64_MAX)
        return NUMBER_TOO_LARGE;
    *ret = n;
    return NUMBER_READ;
}

/* "X-Y" or "X-Y:Z"; with 'alone' also "X". */
static enum read_number read_range(const char **at, bool alone, struct index_range *ret)
{
    struct index_range r = { .step = 1 };
    enum read_number first = read_number(at, &r.first), last, step = NUMBER_READ;

    r.last = r.first;
    if (first == NUMBER_NONE || (alone && **at != '-')) {
        *ret = r;
        return first;
    }
    if (**at != '-')
        return NUMBER_NONE;
    ++*at;
    last = read_number(at, &r.last);
    if (**at == ':') {
        ++*at;
        step = read_number(at, &r.step);
    }
    if (last == NUMBER_NONE || step == NUMBER_NONE || r.step < 1)
        return NUMBER_NONE;
    if (first == NUMBER_TOO_LARGE || last == NUMBER_TOO_LARGE ||
        step == NUMBER_TOO_LARGE)
        return NUMBER_TOO_LARGE;
    *ret = r;
    return NUMBER_READ;
}

int index_range_parse(const char *text, struct index_range *ret)
{
    struct index_range r;
    enum read_number read = read_range(&text, false, &r);

    if (read == NUMBER_NONE || *text)
        return PBSE_BADATVAL;
    if (read == NUMBER_TOO_LARGE)
        return PBSE_ATVALERANGE;
    if (r.first >= r.last)
        return PBSE_BADATVAL;
    *ret = r;
    return 0;
}

bool index_list_next(const char **at, struct index_range *ret)
{
    const char *p = *at;
    struct index_range r;

    if (read_range(&p, true, &r) != NUMBER_READ || r.last < r.first)
        return false;
    /* A comma leads on to another range; nothing else may follow. */
    if (*p == ',' && p[1])
        p++;
    else if (*p)
        return false;
    *at = p;
    *ret = r;
    return true;
}

uint64_t index_range_count(const struct index_range *r)
{
    MUST(r->step >= 1 && r->first >= 0 && r->last >= r->first);
    return (uint64_t)((r->last - r->first) / r->step) + 1;
}

size_t index_range_place(const struct index_range *r, int64_t index)
{
    if (index < r->first || index > r->last || (index - r->first) % r->step)
        return INDEX_NO_PLACE;
    return (size_t)((index - r->first) / r->step);
}

int64_t index_range_at(const struct index_range *r, size_t place)
{
    return r->first + (int64_t)place * r->step;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* The member of the progression of 'r' at 'index' or behind it. */
static int64_t at_or_behind(const struct index_range *r, int64_t index)
{
    int64_t away = index - r->first, add;

    if (away <= 0)
        return r->first;
    add = away % r->step ? r->step - away % r->step : 0;
    return index > INT64_MAX - add ? INT64_MAX : index + add;
}

size_t index_range_next(const struct index_range *r, const struct index_range *list,
                        size_t place)
{
    const struct index_range *wide = r->step > list->step ? r : list;
    const struct index_range *narrow = wide == r ? list : r;
    int64_t last = MIN_OF(r->last, list->last), from, index;

    if (place >= index_range_count(r))
        return INDEX_NO_PLACE;
    from = MAX_OF(index_range_at(r, place), list->first);
    /* Two progressions that never meet are not walked. */
    if (from > last || (r->first - list->first) % common_divisor(r->step, list->step))
        return INDEX_NO_PLACE;
    /* The steps are of numbers up to 'last', so that none of them overflows. */
    for (index = at_or_behind(wide, from); index <= last;) {
        if ((index - narrow->first) % narrow->step == 0)
            return index_range_place(r, index);
        if (index > last - wide->step)
            break;
        index += wide->step;
    }
    return INDEX_NO_PLACE;
}

void index_set_init(struct index_set *s, const struct index_range *range, bool all)
{
    size_t n = (size_t)index_range_count(range);

    MUST(index_range_count(range) <= INDEX_MAX_PLACES);
    *s = (struct index_set){ .range = *range, .n_places = n, .n = all ? n : 0 };
    s->bits = xcalloc((n + WORD_BITS - 1) / WORD_BITS, sizeof(*s->bits));
    if (!all)
        return;
    memset(s->bits, 0xff, n / WORD_BITS * sizeof(*s->bits));
    /* The last word has places that do not exist. */
    if (n % WORD_BITS)
        s->bits[n / WORD_BITS] = (UINT64_C(1) << n % WORD_BITS) - 1;
}

void index_set_fini(struct index_set *s)
{
    free(s->bits);
    *s = (struct index_set){ 0 };
}

bool index_set_has(const struct index_set *s, size_t place)
{
    return place < s->n_places && (s->bits[place / WORD_BITS] >> place % WORD_BITS & 1);
}

void index_set_put(struct index_set *s, size_t place, bool member)
{
    MUST(place < s->n_places);
    if (index_set_has(s, place) == member)
        return;
    s->bits[place / WORD_BITS] ^= UINT64_C(1) << place % WORD_BITS;
    s->n = member ? s->n + 1 : s->n - 1;
}

static size_t count_bits(uint64_t word)
{
    size_t n = 0;

    for (; word; word &= word - 1) /* the lowest one goes */
        n++;
    return n;
}

void index_set_put_run(struct index_set *s, size_t first, size_t last, bool member)
{
    for (size_t at = first; at <= last;) {
        uint64_t *word = &s->bits[at / WORD_BITS];

        /* A word that lies in the run as a whole is written at once. */
        if (at % WORD_BITS == 0 && last - at >= WORD_BITS - 1) {
            size_t n = count_bits(*word);

            s->n += member ? WORD_BITS - n : -n;
            *word = member ? UINT64_MAX : 0;
            at += WORD_BITS;
        } else {
            index_set_put(s, at++, member);
        }
    }
}

void index_set_copy(struct index_set *ret, const struct index_set *from)
{
    size_t bytes = (from->n_places + WORD_BITS - 1) / WORD_BITS * sizeof(*from->bits);

    *ret = *from;
    ret->bits = xcalloc(1, bytes);
    memcpy(ret->bits, from->bits, bytes);
}

size_t index_set_next(const struct index_set *s, size_t place)
{
    size_t word = place / WORD_BITS;
    uint64_t bits;

    if (place >= s->n_places)
        return INDEX_NO_PLACE;
    bits = s->bits[word] >> place % WORD_BITS << place % WORD_BITS;
    /* Whole words without a member are passed over at once. */
    while (!bits) {
        if (++word * WORD_BITS >= s->n_places)
            return INDEX_NO_PLACE;
        bits = s->bits[word];
    }
    return word * WORD_BITS + (size_t)__builtin_ctzll(bits);
}

size_t index_set_run_end(const struct index_set *s, size_t place)
{
    while (place < s->n_places && index_set_has(s, place))
        place += place % WORD_BITS == 0 && place + WORD_BITS <= s->n_places &&
                         s->bits[place / WORD_BITS] == UINT64_MAX
                     ? WORD_BITS
                     : 1;
    return place;
}

void index_set_print(const struct index_set *s, struct buf *out)
{
    const char *comma = "";

    if (s->n == 0)
        buf_add_char(out, '-');
    for (size_t at = 0; (at = index_set_next(s, at)) != INDEX_NO_PLACE;) {
        size_t end = index_set_run_end(s, at);

        buf_printf(out, "%s%" PRId64, comma, index_range_at(&s->range, at));
        if (end - at > 1)
            buf_printf(out, "-%" PRId64, index_range_at(&s->range, end - 1));
        if (end - at > 1 && s->range.step > 1)
            buf_printf(out, ":%" PRId64, s->range.step);
        comma = ",";
        at = end;
    }
}

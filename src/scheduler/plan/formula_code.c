/* formula_code.c - see formula_code.h.
 *
 * A step takes its operands from the stack and leaves one value. How deep the stack
 * becomes is bounded by the depth of the expression, so the machine has room for that
 * and looks no more.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/formula_code.h"

#include "lib/base/arena.h"
#include "scheduler/plan/formula_math.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum step_kind {
    STEP_NUMBER,
    STEP_NAME,
    STEP_UNARY,
    STEP_BINARY,
    STEP_CALL,
    STEP_JUMP,
    STEP_JUMP_IF_NOT, /* takes the value */
    STEP_AND,         /* jumps with the value when that decides, else drops it */
    STEP_OR,
};

/* An expression of that depth with a call in each level. */
#define STACK_MAX ((FORMULA_DEPTH_MAX + 2) * (FORMULA_ARGS_MAX + 12))

struct compiler {
    const char *at;
    struct arena *arena;
    struct formula_code *code;
    int depth;
    const char *why; /* the first thing that went wrong; NULL: nothing */
};

static bool expression(struct compiler *c);
static bool factor(struct compiler *c);

static bool fail(struct compiler *c, const char *why)
{
    c->why = c->why ? c->why : why;
    return false;
}

static struct formula_step *emit(struct compiler *c, enum step_kind kind)
{
    struct formula_code *code = c->code;
    struct formula_step *step;

    code->steps = arena_grow(c->arena, code->steps, code->n, &code->cap, 32,
                             sizeof(*code->steps));
    step = &code->steps[code->n++];
    *step = (struct formula_step){ .kind = (uint8_t)kind };
    /* The text may be long; each step that is too many ends the compilation. */
    if (code->n > FORMULA_STEPS_MAX)
        (void)fail(c, "the formula is too long");
    return step;
}

static void skip_blanks(struct compiler *c)
{
    while (isspace((unsigned char)*c->at))
        c->at++;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || ch == '_';
}

static bool sees(struct compiler *c, const char *token)
{
    size_t len = strlen(token);

    skip_blanks(c);
    return strncmp(c->at, token, len) == 0 && !(is_word(*token) && is_word(c->at[len]));
}

static bool take(struct compiler *c, const char *token)
{
    if (!sees(c, token))
        return false;
    c->at += strlen(token);
    return true;
}

static bool number(struct compiler *c)
{
    char text[64];
    size_t n = 0;

    /* Python takes 1_000 for a thousand. */
    for (; isdigit((unsigned char)*c->at) || *c->at == '_' || *c->at == '.' ||
           *c->at == 'e' || *c->at == 'E' ||
           ((*c->at == '+' || *c->at == '-') && n > 0 && strchr("eE", text[n - 1]));
         c->at++) {
        if (*c->at == '_')
            continue;
        if (n == sizeof(text) - 1)
            return fail(c, "a number is too long");
        text[n++] = *c->at;
    }
    text[n] = '\0';
    emit(c, STEP_NUMBER)->number = strtod(text, NULL);
    return true;
}

static size_t name_index(struct compiler *c, const char *name)
{
    struct formula_code *code = c->code;

    for (size_t i = 0; i < code->n_names; i++)
        if (strcmp(code->names[i], name) == 0)
            return i;
    code->names = arena_grow(c->arena, code->names, code->n_names, &code->cap_names, 8,
                             sizeof(*code->names));
    code->names[code->n_names] = name;
    return code->n_names++;
}

static bool arguments(struct compiler *c, const char *end, size_t *ret_n)
{
    *ret_n = 0;
    while (!take(c, end)) {
        if (!expression(c))
            return false;
        if (++*ret_n > FORMULA_ARGS_MAX)
            return fail(c, "a call has too many arguments");
        if (take(c, end))
            return true;
        if (!take(c, ","))
            return fail(c, "a comma is missing");
    }
    return true;
}

static bool call(struct compiler *c, const char *name)
{
    size_t f = formula_function(name), n;
    bool good;
    struct formula_step *step;

    if (f == SIZE_MAX)
        return fail(c, arena_printf(c->arena, "%s() is not computed", name));
    if (formula_takes_list(f) && take(c, "["))
        good = arguments(c, "]", &n) && take(c, ")");
    else
        good = arguments(c, ")", &n);
    if (!good)
        return fail(c, "a call does not end");
    if (!formula_takes(f, n))
        return fail(
            c, arena_printf(c->arena, "%s() has a wrong number of arguments", name));
    step = emit(c, STEP_CALL);
    step->index = f;
    step->n = (uint8_t)n;
    return true;
}

static bool name(struct compiler *c)
{
    const char *start = c->at, *text;
    double constant;

    while (is_word(*c->at))
        c->at++;
    text = arena_strndup(c->arena, start, (size_t)(c->at - start));
    if (take(c, "("))
        return call(c, text);
    if (formula_constant(text, &constant))
        emit(c, STEP_NUMBER)->number = constant;
    else
        emit(c, STEP_NAME)->index = name_index(c, text);
    return true;
}

static bool atom(struct compiler *c)
{
    skip_blanks(c);
    if (isdigit((unsigned char)*c->at) || *c->at == '.')
        return number(c);
    if (is_word(*c->at))
        return name(c);
    if (take(c, "("))
        return expression(c) && (take(c, ")") || fail(c, "a list is not computed"));
    return fail(c, "an operand is missing");
}

/* a ** b binds tighter than a sign before it, and less than one behind it. */
static bool power(struct compiler *c)
{
    if (!atom(c))
        return false;
    if (!take(c, "**"))
        return true;
    if (!factor(c))
        return false;
    emit(c, STEP_BINARY)->index = formula_operator("**");
    return true;
}

static bool factor(struct compiler *c)
{
    static const char *const signs[] = { "-", "+", "~" };
    bool good;

    if (++c->depth > FORMULA_DEPTH_MAX)
        return fail(c, "the formula is nested too deeply");
    for (size_t i = 0; i < ARRAY_LEN(signs); i++)
        if (take(c, signs[i])) {
            good = factor(c);
            emit(c, STEP_UNARY)->index = i;
            c->depth--;
            return good;
        }
    good = power(c);
    c->depth--;
    return good;
}

/* From the tightest level to the loosest, longer operators first. */
static const char *const levels[][4] = {
    { "//", "*", "/", "%" }, { "+", "-" }, { "<<", ">>" }, { "&" }, { "^" }, { "|" },
};

static const char *take_operator(struct compiler *c, size_t level)
{
    for (size_t i = 0; i < ARRAY_LEN(levels[level]) && levels[level][i]; i++)
        if (take(c, levels[level][i]))
            return levels[level][i];
    return NULL;
}

static bool binary(struct compiler *c, size_t level)
{
    const char *op;

    if (!(level == 0 ? factor(c) : binary(c, level - 1)))
        return false;
    while (!c->why && (op = take_operator(c, level))) {
        if (!(level == 0 ? factor(c) : binary(c, level - 1)))
            return false;
        emit(c, STEP_BINARY)->index = formula_operator(op);
    }
    return !c->why;
}

static void land(struct compiler *c, size_t jump)
{
    c->code->steps[jump].distance = (int32_t)(c->code->n - jump);
}

static const char *take_comparison(struct compiler *c)
{
    static const char *const tokens[] = { "<=", ">=", "==", "!=", "<", ">" };

    for (size_t i = 0; i < ARRAY_LEN(tokens); i++)
        if (take(c, tokens[i]))
            return tokens[i];
    return NULL;
}

static bool comparison(struct compiler *c)
{
    const size_t loosest = ARRAY_LEN(levels) - 1;
    const char *op;

    if (!binary(c, loosest))
        return false;
    op = take_comparison(c);
    if (!op)
        return true;
    if (!binary(c, loosest))
        return false;
    emit(c, STEP_BINARY)->index = formula_operator(op);
    return !take_comparison(c) || fail(c, "a chain of comparisons is not computed");
}

static bool negation(struct compiler *c)
{
    size_t n = 0;

    while (take(c, "not"))
        n++;
    if (!comparison(c))
        return false;
    for (; n > 0 && !c->why; n--)
        emit(c, STEP_UNARY)->index = FORMULA_NOT;
    return true;
}

static bool both(struct compiler *c)
{
    if (!negation(c))
        return false;
    while (!c->why && take(c, "and")) {
        size_t jump = c->code->n;

        emit(c, STEP_AND);
        if (!negation(c))
            return false;
        land(c, jump);
    }
    return true;
}

static bool either(struct compiler *c)
{
    if (!both(c))
        return false;
    while (!c->why && take(c, "or")) {
        size_t jump = c->code->n;

        emit(c, STEP_OR);
        if (!both(c))
            return false;
        land(c, jump);
    }
    return true;
}

/* "a if c else b" is written in another order than it is computed in: the steps of 'c'
 * are brought before those of 'a'. Jumps are relative, so they stay right. */
static bool conditional(struct compiler *c, size_t from)
{
    struct formula_code *code = c->code;
    size_t middle = code->n, n_a = middle - from, jump_not, jump_over;
    struct formula_step *a;

    if (!either(c) || c->why)
        return false;
    jump_not = code->n - n_a;
    emit(c, STEP_JUMP_IF_NOT);
    a = arena_copy(c->arena, &code->steps[from], n_a * sizeof(*a));
    memmove(&code->steps[from], &code->steps[middle], (code->n - middle) * sizeof(*a));
    memcpy(&code->steps[code->n - n_a], a, n_a * sizeof(*a));
    jump_over = code->n;
    emit(c, STEP_JUMP);
    land(c, jump_not);
    if (!take(c, "else"))
        return fail(c, "an else is missing");
    if (!expression(c))
        return false;
    land(c, jump_over);
    return true;
}

static bool expression(struct compiler *c)
{
    size_t from = c->code->n;
    bool good;

    if (++c->depth > FORMULA_DEPTH_MAX)
        return fail(c, "the formula is nested too deeply");
    good = either(c);
    if (good && take(c, "if"))
        good = conditional(c, from);
    c->depth--;
    return good && !c->why;
}

const struct formula_code *formula_compile(const char *text, struct arena *arena,
                                           const char **why)
{
    struct compiler c = { .at = text, .arena = arena };

    c.code = ARENA_NEW(arena, struct formula_code);
    if (expression(&c)) {
        skip_blanks(&c);
        if (*c.at)
            (void)fail(&c, "something stands behind the formula");
    }
    *why = c.why;
    return c.why ? NULL : c.code;
}

/* The machine. */
struct machine {
    const double *values;
    double stack[STACK_MAX];
    size_t n;
    const char *why;
};

/* 'at' is the number of the step. Returns that of the next one. */
static size_t obey(struct machine *m, const struct formula_step *step, size_t at)
{
    double *end = &m->stack[m->n]; /* behind the last value */
    size_t there = at + (size_t)step->distance;

    switch ((enum step_kind)step->kind) {
    case STEP_NUMBER:
        m->stack[m->n++] = step->number;
        break;
    case STEP_NAME:
        m->stack[m->n++] = m->values[step->index];
        break;
    case STEP_UNARY:
        end[-1] = formula_unary(step->index, end[-1], &m->why);
        break;
    case STEP_BINARY:
        end[-2] = formula_binary(step->index, end[-2], end[-1], &m->why);
        m->n--;
        break;
    case STEP_CALL:
        m->n -= step->n;
        m->stack[m->n] = formula_call(step->index, &m->stack[m->n], step->n, &m->why);
        m->n++;
        break;
    case STEP_JUMP:
        return there;
    case STEP_JUMP_IF_NOT:
        m->n--;
        return end[-1] == 0 ? there : at + 1;
    case STEP_AND:
    case STEP_OR:
        if ((end[-1] != 0) == (step->kind == STEP_OR))
            return there;
        m->n--;
        break;
    }
    return at + 1;
}

bool formula_compute(const struct formula_code *code, const double *values, double *ret,
                     const char **why)
{
    struct machine m;

    m.values = values;
    m.n = 0;
    m.why = NULL;
    for (size_t at = 0; at < code->n && !m.why;) {
        MUST(m.n < STACK_MAX);
        at = obey(&m, &code->steps[at], at);
    }
    MUST(m.why || m.n == 1);
    *why = m.why ? m.why : isnan(m.stack[0]) ? "the value is no number" : NULL;
    if (*why)
        return false;
    *ret = m.stack[0];
    return true;
}

/* formula.c - see formula.h.
 *
 * Only whether the text is an expression is asked, so all binary operators are one kind
 * here: chains of operands with operators between them. The first wrong name is
 * remembered and told when the whole has turned out to be an expression.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/attr/formula.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 100

/* What is read, and how far. */
struct formula {
    const char *at;
    const struct resource_defs *defs;
    int depth;
    int bad_name; /* 0, 15124 or 15125 */
};

static bool expression(struct formula *f);

static void skip_blanks(struct formula *f)
{
    while (isspace((unsigned char)*f->at))
        f->at++;
}

static bool take_char(struct formula *f, char c)
{
    skip_blanks(f);
    if (*f->at != c)
        return false;
    f->at++;
    return true;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool take_word(struct formula *f, const char *word)
{
    size_t len = strlen(word);

    skip_blanks(f);
    /* "nothing" does not begin with "not". */
    if (strncmp(f->at, word, len) != 0 || is_word(f->at[len]))
        return false;
    f->at += len;
    return true;
}

static bool is_listed(const char *const *names, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) == len && strncmp(names[i], name, len) == 0)
            return true;
    return false;
}

/* True for the terms of a job, and for the functions that Python has for numbers. */
static bool is_term(const char *name, size_t len)
{
    static const char *const terms[] = {
        "eligible_time",  "queue_priority",       "job_priority",
        "fairshare_perc", "fair_share_perc",      "fairshare_factor",
        "accrue_type",    "fairshare_tree_usage", "True",
        "False",
    };
    static const char *const functions[] = {
        "abs",       "bool",     "divmod", "float",   "int",     "len",       "max",
        "min",       "pow",      "round",  "sum",     "acos",    "acosh",     "asin",
        "asinh",     "atan",     "atan2",  "atanh",   "cbrt",    "ceil",      "comb",
        "copysign",  "cos",      "cosh",   "degrees", "dist",    "e",         "erf",
        "erfc",      "exp",      "exp2",   "expm1",   "fabs",    "factorial", "floor",
        "fmod",      "frexp",    "fsum",   "gamma",   "gcd",     "hypot",     "inf",
        "isclose",   "isfinite", "isinf",  "isnan",   "isqrt",   "lcm",       "ldexp",
        "lgamma",    "log",      "log10",  "log1p",   "log2",    "modf",      "nan",
        "nextafter", "perm",     "pi",     "prod",    "radians", "remainder", "sin",
        "sinh",      "sqrt",     "tan",    "tanh",    "tau",     "trunc",     "ulp",
    };

    return is_listed(terms, ARRAY_LEN(terms), name, len) ||
           is_listed(functions, ARRAY_LEN(functions), name, len);
}

/* Resources whose values Python can calculate with; booleans and texts are
 * refused. */
static bool is_numeric(const struct attr_type *type)
{
    return type == &attr_long || type == &attr_int64 || type == &attr_float ||
           type == &attr_size || type == &attr_duration;
}

/* 0, or the error of a name that is no term and no resource that is a number. */
static int judge_name(const struct formula *f, const char *name, size_t len)
{
    const struct resource_def *def;
    char *copy;

    if (is_term(name, len))
        return 0;
    copy = xstrndup(name, len);
    def = resource_find(f->defs, copy);
    free(copy);
    if (!def)
        return PBSE_BAD_FORMULA_KW;
    return is_numeric(def->type) ? 0 : PBSE_BAD_FORMULA_TYPE;
}

/* A keyword of Python is no name. */
static bool is_keyword(const char *name, size_t len)
{
    static const char *const words[] = {
        "and",  "as",     "assert", "async", "await",  "break", "class",
        "def",  "del",    "elif",   "else",  "for",    "from",  "global",
        "if",   "import", "in",     "is",    "lambda", "not",   "or",
        "pass", "raise",  "return", "try",   "while",  "with",  "yield",
    };

    return is_listed(words, ARRAY_LEN(words), name, len);
}

static bool name(struct formula *f)
{
    const char *start = f->at;
    size_t len;

    while (is_word(*f->at))
        f->at++;
    len = (size_t)(f->at - start);
    MUST(len > 0); /* atom() has seen the first letter */
    if (is_keyword(start, len))
        return false;
    /* The first one is what users are told about; a text that is no expression at
     * all has another error. */
    if (!f->bad_name)
        f->bad_name = judge_name(f, start, len);
    return true;
}

/* Python takes 1_000 for a thousand. */
static void digits(struct formula *f)
{
    while (isdigit((unsigned char)*f->at) ||
           (*f->at == '_' && isdigit((unsigned char)f->at[1])))
        f->at++;
}

/* Read a number: 12, 1.5, .5, 1. or 2e-3. */
static bool number(struct formula *f)
{
    digits(f);
    if (*f->at == '.') {
        f->at++;
        digits(f);
    }
    if (*f->at == 'e' || *f->at == 'E') {
        f->at += f->at[1] == '+' || f->at[1] == '-' ? 2 : 1;
        if (!isdigit((unsigned char)*f->at))
            return false;
        digits(f);
    }
    return !is_word(*f->at);
}

/* Expressions with commas between them, up to 'end'. */
static bool list(struct formula *f, char end)
{
    /* A comma may stand behind the last one, as in Python. */
    while (!take_char(f, end)) {
        if (!expression(f))
            return false;
        if (take_char(f, end))
            return true;
        if (!take_char(f, ','))
            return false;
    }
    return true;
}

static bool atom(struct formula *f)
{
    skip_blanks(f);
    if (isdigit((unsigned char)*f->at) ||
        (*f->at == '.' && isdigit((unsigned char)f->at[1])))
        return number(f);
    if (is_word(*f->at))
        return name(f);
    if (take_char(f, '('))
        /* Empty parentheses are a tuple, which is no number. */
        return !take_char(f, ')') && list(f, ')');
    return take_char(f, '[') && list(f, ']');
}

static bool operand(struct formula *f)
{
    while (take_char(f, '-') || take_char(f, '+') || take_char(f, '~') ||
           take_word(f, "not"))
        continue;
    if (!atom(f))
        return false;
    for (;;) {
        if (take_char(f, '(')) {
            if (!list(f, ')'))
                return false;
        } else if (take_char(f, '[')) {
            if (!expression(f) || !take_char(f, ']'))
                return false;
        } else {
            return true;
        }
    }
}

static bool take_operator(struct formula *f)
{
    /* A sign stands before the shorter sign that it begins with. */
    static const char *const signs[] = { "**", "//", "<<", ">>", "<=", ">=",
                                         "==", "!=", "+",  "-",  "*",  "/",
                                         "%",  "<",  ">",  "&",  "|",  "^" };

    if (take_word(f, "and") || take_word(f, "or"))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
        if (strncmp(f->at, signs[i], strlen(signs[i])) == 0) {
            f->at += strlen(signs[i]);
            return true;
        }
    }
    return false;
}

static bool chain(struct formula *f)
{
    do
        if (!operand(f))
            return false;
    while (take_operator(f));
    return true;
}

/* Read an expression: chain ["if" chain "else" expression]. */
static bool expression(struct formula *f)
{
    bool good;

    /* The text is a manager's, and the stack is ours. */
    if (++f->depth > DEPTH_MAX)
        return false;
    good = chain(f);
    if (good && take_word(f, "if"))
        good = chain(f) && take_word(f, "else") && expression(f);
    MUST(f->depth > 0);
    f->depth--;
    return good;
}

int formula_check(const char *text, const struct resource_defs *defs, struct diag *why)
{
    struct formula f = { .at = text, .defs = defs };
    bool good = expression(&f);

    skip_blanks(&f);
    if (!good || *f.at)
        return diag_code(why, PBSE_BAD_FORMULA);
    return f.bad_name ? diag_code(why, f.bad_name) : 0;
}

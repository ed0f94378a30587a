/* formula_math.c - see formula_math.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/plan/formula_math.h"

#include <math.h>
#include <string.h>

/* Above it a double has not every whole number. */
#define WHOLE_MAX 9007199254740992.0

static double raise(const char **why, const char *text)
{
    if (!*why)
        *why = text;
    return 0;
}

/* What C computes without a number, or without end, is an exception in Python. */
static double checked(double value, bool finite, const char **why)
{
    if (finite && isnan(value))
        return raise(why, "math domain error");
    if (finite && isinf(value))
        return raise(why, "math range error");
    return value;
}

static bool is_whole(double x)
{
    return fabs(x) <= WHOLE_MAX && x == trunc(x);
}

bool formula_constant(const char *name, double *ret)
{
    static const struct {
        const char *name;
        double value;
    } rows[] = {
        { "True", 1 }, { "False", 0 },      { "pi", M_PI }, { "tau", 2 * M_PI },
        { "e", M_E },  { "inf", INFINITY }, { "nan", NAN },
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].name, name) == 0) {
            *ret = rows[i].value;
            return true;
        }
    return false;
}

double formula_unary(size_t op, double x, const char **why)
{
    MUST(op <= FORMULA_NOT);
    switch (op) {
    case 0:
        return -x;
    case 1:
        return x;
    case 2:
        return is_whole(x) ? -x - 1
                           : raise(why, "bad operand type for unary ~: 'float'");
    default:
        return x == 0;
    }
}

static double divide(double x, double y, const char **why)
{
    return y == 0 ? raise(why, "division by zero") : x / y;
}

static double divide_down(double x, double y, const char **why)
{
    return y == 0 ? raise(why, "division by zero") : floor(x / y);
}

/* It has the sign of the divisor. */
static double modulo(double x, double y, const char **why)
{
    double rest;

    if (y == 0)
        return raise(why, "division by zero");
    rest = fmod(x, y);
    return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static double power_of(double x, double y, const char **why)
{
    if (x == 0 && y < 0)
        return raise(why, "0.0 cannot be raised to a negative power");
    return checked(pow(x, y), isfinite(x) && isfinite(y), why);
}

static int64_t bits_of(double x, const char **why)
{
    return is_whole(x) ? (int64_t)x
                       : (int64_t)raise(why, "unsupported operand type: 'float'");
}

static double shift(double x, double y, bool left, const char **why)
{
    if (y < 0)
        return raise(why, "negative shift count");
    if (!is_whole(x) || !is_whole(y))
        return raise(why, "unsupported operand type: 'float'");
    /* Python's numbers have no end; those of this machine become inexact. */
    return left ? ldexp(x, (int)fmin(y, 2000)) : floor(ldexp(x, -(int)fmin(y, 2000)));
}

static const char *const operators[] = { "+",  "-",  "*",  "/",  "//", "%",
                                         "**", "<<", ">>", "&",  "^",  "|",
                                         "<",  ">",  "<=", ">=", "==", "!=" };

size_t formula_operator(const char *token)
{
    for (size_t i = 0; i < ARRAY_LEN(operators); i++)
        if (strcmp(operators[i], token) == 0)
            return i;
    MUST(!"an operator that the compiler knows");
    return 0;
}

/* clang-format off */
double formula_binary(size_t op, double x, double y, const char **why)
{
    switch (op) {
    case 0: return x + y;
    case 1: return x - y;
    case 2: return x * y;
    case 3: return divide(x, y, why);
    case 4: return divide_down(x, y, why);
    case 5: return modulo(x, y, why);
    case 6: return power_of(x, y, why);
    case 7: return shift(x, y, true, why);
    case 8: return shift(x, y, false, why);
    case 9: return (double)(bits_of(x, why) & bits_of(y, why));
    case 10: return (double)(bits_of(x, why) ^ bits_of(y, why));
    case 11: return (double)(bits_of(x, why) | bits_of(y, why));
    case 12: return x < y;
    case 13: return x > y;
    case 14: return x <= y;
    case 15: return x >= y;
    case 16: return x == y;
    default: return x != y;
    }
}
/* clang-format on */

static double least_of(const double *x, size_t n)
{
    double ret = x[0];

    for (size_t i = 1; i < n; i++)
        ret = x[i] < ret ? x[i] : ret;
    return ret;
}

static double most_of(const double *x, size_t n)
{
    double ret = x[0];

    for (size_t i = 1; i < n; i++)
        ret = x[i] > ret ? x[i] : ret;
    return ret;
}

static double sum_of(const double *x, size_t n)
{
    double ret = 0;

    for (size_t i = 0; i < n; i++)
        ret += x[i];
    return ret;
}

/* Halves go to the even number; with a second argument so many decimals are kept. */
static double round_to(const double *x, size_t n)
{
    double scale = n > 1 ? pow(10, x[1]) : 1;

    return nearbyint(x[0] * scale) / scale;
}

static double log_of(const double *x, size_t n)
{
    return n > 1 ? log(x[0]) / log(x[1]) : log(x[0]);
}

static double one_if(double x)
{
    return x != 0;
}
static double same(double x)
{
    return x;
}
static double to_degrees(double x)
{
    return x * (180 / M_PI);
}
static double to_radians(double x)
{
    return x * (M_PI / 180);
}
static double no_number(double x)
{
    return isnan(x) != 0;
}
static double endless(double x)
{
    return isinf(x) != 0;
}
static double finite_one(double x)
{
    return isfinite(x) != 0;
}

static const struct function {
    const char *name;
    double (*of_one)(double);
    double (*of_two)(double, double);
    double (*of_many)(const double *, size_t);
    uint8_t least, most; /* arguments, of 'of_many' */
    bool list;           /* they may be one list */
} functions[] = {
    { "min", .of_many = least_of, .least = 1, .most = FORMULA_ARGS_MAX, .list = true },
    { "max", .of_many = most_of, .least = 1, .most = FORMULA_ARGS_MAX, .list = true },
    { "sum", .of_many = sum_of, .least = 0, .most = FORMULA_ARGS_MAX, .list = true },
    { "round", .of_many = round_to, .least = 1, .most = 2 },
    { "log", .of_many = log_of, .least = 1, .most = 2 },
    { "abs", fabs },
    { "bool", one_if },
    { "float", same },
    { "int", trunc },
    { "acos", acos },
    { "acosh", acosh },
    { "asin", asin },
    { "asinh", asinh },
    { "atan", atan },
    { "atanh", atanh },
    { "cbrt", cbrt },
    { "ceil", ceil },
    { "cos", cos },
    { "cosh", cosh },
    { "degrees", to_degrees },
    { "erf", erf },
    { "erfc", erfc },
    { "exp", exp },
    { "exp2", exp2 },
    { "expm1", expm1 },
    { "fabs", fabs },
    { "floor", floor },
    { "gamma", tgamma },
    { "isfinite", finite_one },
    { "isinf", endless },
    { "isnan", no_number },
    { "log10", log10 },
    { "log1p", log1p },
    { "log2", log2 },
    { "radians", to_radians },
    { "sin", sin },
    { "sinh", sinh },
    { "sqrt", sqrt },
    { "tan", tan },
    { "tanh", tanh },
    { "trunc", trunc },
    { "atan2", .of_two = atan2 },
    { "copysign", .of_two = copysign },
    { "fmod", .of_two = fmod },
    { "hypot", .of_two = hypot },
    { "pow", .of_two = pow },
    { "remainder", .of_two = remainder },
};

size_t formula_function(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(functions); i++)
        if (strcmp(functions[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

bool formula_takes(size_t function, size_t n_args)
{
    const struct function *f = &functions[function];

    if (f->of_many)
        return n_args >= f->least && n_args <= f->most;
    return n_args == (f->of_one ? 1 : 2);
}

bool formula_takes_list(size_t function)
{
    return functions[function].list;
}

double formula_call(size_t function, const double *args, size_t n, const char **why)
{
    const struct function *f = &functions[function];
    bool finite = true;

    MUST(function < ARRAY_LEN(functions) && formula_takes(function, n));
    for (size_t i = 0; i < n; i++)
        finite = finite && isfinite(args[i]);
    if (f->of_many)
        return checked(f->of_many(args, n), finite, why);
    return checked(f->of_one ? f->of_one(args[0]) : f->of_two(args[0], args[1]), finite,
                   why);
}

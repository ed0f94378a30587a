/* world.c - the calls of libpbs that the replayed commands make, answered from objects
 * in memory as a server would: only the attributes that were asked for, history only
 * with 'x', subjobs only with 't'.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "include/pbs_error.h"
#include "include/pbs_ifl.h"
#include "lib/base/base.h"
#include "lib/base/diag.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OBJECTS_MAX  64
#define SERVER       "pbs1"

/* Jobs have left the server: of one only the way is known. Of two the server says that
 * they have moved, as servers of another make do; it does not know where the last is.
 */
#define OTHER_SERVER "pbs2"
#define MOVED        "77.pbs1"
#define ASTRAY       "78.pbs1"
#define SAID_MOVED   "79.pbs1"
#define MOVED_FAR    "80.pbs1"

struct object {
    char *kind, *name, *attrs; /* "a=b|c.d=e" */
};

static struct object objects[OBJECTS_MAX];
static size_t n_objects;
static bool is_operator = true;
static int error;
static const char *error_text;
static char connected_to[256];

int *__pbs_errno_location(void)
{
    return &error;
}

char *__pbs_server_location(void)
{
    return connected_to;
}

void world_set_operator(bool yes)
{
    is_operator = yes;
}

void world_free(void)
{
    while (n_objects > 0) {
        struct object *o = &objects[--n_objects];

        free(o->kind);
        free(o->name);
        free(o->attrs);
    }
}

bool world_load(const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;

    if (!f)
        return false;
    world_free();
    while (getline(&line, &size, f) > 0) {
        char *blank = strchr(line, ' '), *bar = strchr(line, '|');

        if (*line == '#' || !blank || !bar)
            continue;
        line[strcspn(line, "\n")] = '\0';
        *blank = *bar = '\0';
        if (n_objects == OBJECTS_MAX)
            return false;
        objects[n_objects++] =
            (struct object){ xstrdup(line), xstrdup(blank + 1), xstrdup(bar + 1) };
    }
    free(line);
    fclose(f);
    return n_objects > 0;
}

static bool refuse(int code)
{
    error = code;
    error_text = pbse_text(code);
    return false;
}

static void accept_it(void)
{
    error = 0;
    error_text = NULL;
}

static bool is_wanted(const struct attrl *wanted, const char *name)
{
    for (const struct attrl *a = wanted; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return true;
    return wanted == NULL;
}

/* One "name[.resource]=value". */
static struct attrl *attr_of(char *text)
{
    struct attrl *a = xcalloc(1, sizeof(*a));
    char *equals = strchr(text, '=');
    char *dot;

    *equals = '\0';
    dot = strchr(text, '.');
    a->value = xstrdup(equals + 1);
    if (dot)
        *dot = '\0';
    a->name = xstrdup(text);
    a->resource = dot ? xstrdup(dot + 1) : NULL;
    return a;
}

static void free_attr(struct attrl *a)
{
    free(a->name);
    free(a->resource);
    free(a->value);
    free(a);
}

static struct batch_status *status_of(const struct object *o,
                                      const struct attrl *wanted)
{
    struct batch_status *s = xcalloc(1, sizeof(*s));
    struct attrl **end = &s->attribs;
    char *copy = xstrdup(o->attrs), *next = copy;

    s->name = xstrdup(o->name);
    while (next) {
        struct attrl *a = attr_of(strsep(&next, "|"));

        if (is_wanted(wanted, a->name)) {
            *end = a;
            end = &a->next;
        } else {
            free_attr(a);
        }
    }
    free(copy);
    return s;
}

void pbs_statfree(struct batch_status *list)
{
    while (list) {
        struct batch_status *s = list;

        list = s->next;
        while (s->attribs) {
            struct attrl *a = s->attribs;

            s->attribs = a->next;
            free_attr(a);
        }
        free(s->name);
        free(s);
    }
}

/* The value of an attribute; the caller frees it. */
static char *value_of(const struct object *o, const char *name)
{
    struct batch_status *s = status_of(o, NULL);
    char *value = NULL;

    for (struct attrl *a = s->attribs; a && !value; a = a->next)
        if (strcmp(a->name, name) == 0 && !a->resource)
            value = xstrdup(a->value);
    pbs_statfree(s);
    return value;
}

static bool value_is_in(const struct object *o, const char *attr, const char *list)
{
    char *value = value_of(o, attr);
    bool found = value && strcasecmp(list, value) == 0;

    if (value && strcmp(attr, "job_state") == 0)
        found = strchr(list, *value) != NULL;
    if (value && strcmp(attr, "Job_Owner") == 0)
        found = strncmp(list, value, strlen(list)) == 0 && value[strlen(list)] == '@';
    free(value);
    return found;
}

static const struct object *find(const char *kind, const char *name)
{
    for (size_t i = 0; i < n_objects; i++)
        if (strcmp(objects[i].kind, kind) == 0 && strcmp(objects[i].name, name) == 0)
            return &objects[i];
    return NULL;
}

/* Connections. */

char *pbs_default(void)
{
    static char name[] = SERVER;

    return name;
}

int pbs_connect(const char *server)
{
    snprintf(connected_to, sizeof(connected_to), "%s",
             server && *server ? server : SERVER);
    accept_it();
    if (strcmp(connected_to, SERVER) == 0)
        return 0;
    if (strcmp(connected_to, OTHER_SERVER) == 0)
        return 0;
    error = PBSE_BADHOST;
    return -1;
}

int pbs_disconnect(int c)
{
    (void)c;
    return 0;
}

char *pbs_geterrmsg(int c)
{
    (void)c;
    return (char *)error_text;
}

struct ecl_attribute_errors *pbs_get_attributes_in_error(int c)
{
    (void)c;
    return NULL;
}

int pbs_connect_extend(const char *server, const char *extend)
{
    (void)extend;
    return pbs_connect(server);
}

/* Submission. */

#define STALE_TWICE  "twice"
#define STALE_ALWAYS "never"

/* The server's default arguments change, "-p 44" to "-p 45". */
static void change_defaults(void)
{
    for (size_t i = 0; i < n_objects; i++) {
        char *p = strstr(objects[i].attrs, "-p 4");

        if (p)
            p[strlen("-p 4")]++;
    }
}

static void print_script(const char *path)
{
    FILE *f = path ? fopen(path, "r") : NULL;
    int c, before = '\n';

    while (f && (c = getc(f)) != EOF) {
        if (before == '\n')
            fputs("> ", stdout);
        putchar(c);
        before = c;
    }
    if (f)
        fclose(f);
}

/* What was sent is printed, but for what the surroundings and the command line say of
 * themselves. */
char *pbs_submit(int c, struct attropl *attrs, const char *script,
                 const char *destination, const char *extend)
{
    static int tries;

    (void)c;
    (void)extend;
    accept_it();
    tries++;
    if (strcmp(destination, STALE_ALWAYS) == 0 ||
        (strcmp(destination, STALE_TWICE) == 0 && tries <= 2)) {
        change_defaults();
        refuse(PBSE_FORCE_QSUB_UPDATE);
        return NULL;
    }
    printf("to %s, try %d\n", *destination ? destination : "the default", tries);
    for (const struct attropl *a = attrs; a; a = a->next)
        if (strcmp(a->name, "Variable_List") != 0 &&
            strcmp(a->name, "Submit_arguments") != 0)
            printf("%s%s%s=%s\n", a->name, a->resource ? "." : "",
                   a->resource ? a->resource : "", a->value);
    print_script(script);
    return xstrdup("9." SERVER);
}

/* Status. */

static struct batch_status *all_of(const char *kind, const char *name,
                                   const struct attrl *wanted, int unknown)
{
    struct batch_status *head = NULL, **end = &head;

    accept_it();
    for (size_t i = 0; i < n_objects; i++) {
        if (strcmp(objects[i].kind, kind) != 0 ||
            (name && *name && strcmp(objects[i].name, name) != 0))
            continue;
        *end = status_of(&objects[i], wanted);
        end = &(*end)->next;
    }
    if (!head)
        refuse(unknown);
    return head;
}

struct batch_status *pbs_statserver(int c, struct attrl *wanted, const char *extend)
{
    (void)c;
    (void)extend;
    return all_of("server", NULL, wanted, PBSE_SYSTEM);
}

struct batch_status *pbs_statque(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    (void)c;
    (void)extend;
    return all_of("queue", id, wanted, PBSE_UNKQUE);
}

struct batch_status *pbs_statvnode(int c, const char *id, struct attrl *wanted,
                                   const char *extend)
{
    (void)c;
    (void)extend;
    return all_of("node", id, wanted, PBSE_UNKNODE);
}

struct batch_status *pbs_stathost(int c, const char *id, struct attrl *wanted,
                                  const char *extend)
{
    (void)c;
    (void)extend;
    return all_of("host", id, wanted, PBSE_UNKNODE);
}

static bool has(const char *extend, char letter)
{
    return extend && strchr(extend, letter);
}

/* False, with the refusal, when history is asked for and there is none. */
static bool may_ask(const char *extend)
{
    for (size_t i = 0; i < n_objects && has(extend, 'x'); i++)
        if (strcmp(objects[i].kind, "server") == 0 &&
            !value_is_in(&objects[i], "job_history_enable", "True"))
            return refuse(PBSE_JOBHISTNOTSET);
    return true;
}

/* Among all jobs: subjobs and finished ones only when they are asked for. */
static bool is_shown(const struct object *o, const char *extend)
{
    bool subjob = strchr(o->name, '[') && !strstr(o->name, "[]");

    return (!subjob || has(extend, 't')) &&
           (!value_is_in(o, "job_state", "FMX") || has(extend, 'x'));
}

static bool meets(const struct object *o, const struct attropl *criteria)
{
    for (const struct attropl *a = criteria; a; a = a->next) {
        const char *name = a->name;

        if (strcmp(name, "destination") == 0)
            name = "queue";
        else if (strcmp(name, "User_List") == 0)
            name = "Job_Owner";
        else if (strcmp(name, "array") == 0 && strstr(o->attrs, "array_id="))
            continue;
        if (!value_is_in(o, name, a->value))
            return false;
    }
    return true;
}

struct batch_status *pbs_selstat(int c, struct attropl *criteria, struct attrl *wanted,
                                 const char *extend)
{
    struct batch_status *head = NULL, **end = &head;

    (void)c;
    accept_it();
    for (size_t i = 0; i < n_objects && may_ask(extend); i++) {
        if (strcmp(objects[i].kind, "job") != 0 || !is_shown(&objects[i], extend) ||
            !meets(&objects[i], criteria))
            continue;
        *end = status_of(&objects[i], wanted);
        end = &(*end)->next;
    }
    return head;
}

/* What one of the jobs that have left is answered with; -1 for all others. */
static int code_of_moved(const char *id)
{
    const bool there = strcmp(connected_to, OTHER_SERVER) == 0;

    if (there && (strcmp(id, MOVED) == 0 || strcmp(id, SAID_MOVED) == 0))
        return 0;
    if (strcmp(id, SAID_MOVED) == 0 || strcmp(id, MOVED_FAR) == 0)
        return PBSE_JOB_MOVED;
    return -1;
}

static struct batch_status *jobs_of_list(const char *ids, struct attrl *wanted,
                                         const char *extend)
{
    struct batch_status *head = NULL, **end = &head;

    while (*ids) {
        size_t len = strcspn(ids, ",");
        char *id = xstrndup(ids, len);
        const struct object *o = find("job", id);
        const int moved = code_of_moved(id);

        free(id);
        ids += len + (ids[len] == ',');
        if (!o) {
            refuse(moved >= 0 ? moved : PBSE_UNKJOBID);
        } else if (value_is_in(o, "job_state", "FMX") && !has(extend, 'x')) {
            refuse(PBSE_HISTJOBID);
        } else {
            *end = status_of(o, wanted);
            end = &(*end)->next;
        }
    }
    if (head)
        accept_it();
    return head;
}

struct batch_status *pbs_statjob(int c, const char *id, struct attrl *wanted,
                                 const char *extend)
{
    struct attropl queue = { .name = (char *)"destination", .value = (char *)id };

    if (isdigit((unsigned char)*id))
        return jobs_of_list(id, wanted, extend);
    if (!*id)
        return pbs_selstat(c, NULL, wanted, extend);
    if (find("queue", id))
        return pbs_selstat(c, &queue, wanted, extend);
    refuse(PBSE_UNKQUE);
    return NULL;
}

char *pbs_locjob(int c, const char *id, const char *extend)
{
    (void)c;
    (void)extend;
    accept_it();
    if (strcmp(id, MOVED) == 0 || strcmp(id, SAID_MOVED) == 0)
        return xstrdup(OTHER_SERVER);
    if (strcmp(id, ASTRAY) == 0)
        return xstrdup("elsewhere");
    refuse(PBSE_UNKJOBID);
    return NULL;
}

/* Changes. */

/* The code that deleting a job would be answered with: one of somebody else's, a
 * finished one without its history, one that is not there. A range stands for its
 * subjobs. */
static int deletion_code(const char *id, const char *extend)
{
    const struct object *o = find("job", id);
    const int moved = code_of_moved(id);

    if (moved >= 0)
        return moved;
    if (!o)
        return strchr(id, '-') ? 0 : PBSE_UNKJOBID;
    if (!is_operator && !value_is_in(o, "Job_Owner", "pbsuser"))
        return PBSE_PERM;
    if (value_is_in(o, "job_state", "FMX"))
        return extend && strstr(extend, DELETEHISTORY) ? PBSE_HISTJOBDELETED
                                                       : PBSE_HISTJOBID;
    return 0;
}

struct batch_deljob_status *pbs_deljoblist(int c, char **ids, int n, const char *extend)
{
    struct batch_deljob_status *head = NULL, **end = &head;

    (void)c;
    accept_it();
    for (int i = 0; i < n; i++) {
        int code = deletion_code(ids[i], extend);

        if (!code)
            continue;
        *end = xcalloc(1, sizeof(**end));
        (*end)->name = xstrdup(ids[i]);
        (*end)->code = code;
        end = &(*end)->next;
        refuse(code);
    }
    return head;
}

void pbs_delstatfree(struct batch_deljob_status *list)
{
    while (list) {
        struct batch_deljob_status *s = list;

        list = s->next;
        free(s->name);
        free(s);
    }
}

/* One job, for its owner and for operators: 0 or the refusal. 'states' are those in
 * which it can be asked for; NULL: any but finished. */
static int ask_job(const char *id, const char *states)
{
    const struct object *o = find("job", id);
    const int moved = code_of_moved(id);

    accept_it();
    if (!o)
        refuse(moved >= 0 ? moved : PBSE_UNKJOBID);
    else if (value_is_in(o, "job_state", "FMX"))
        refuse(PBSE_HISTJOBID);
    else if (!is_operator && !value_is_in(o, "Job_Owner", "pbsuser"))
        refuse(PBSE_PERM);
    else if (states && !value_is_in(o, "job_state", states))
        refuse(PBSE_BADSTATE);
    return error;
}

int pbs_alterjob(int c, const char *id, struct attrl *attrs, const char *extend)
{
    (void)c;
    (void)extend;
    for (const struct attrl *a = attrs; a; a = a->next)
        if (a->resource && strcmp(a->resource, "nosuch") == 0 && !ask_job(id, NULL)) {
            refuse(PBSE_UNKRESC);
            error_text = "Unknown resource Resource_List.nosuch";
            return error;
        }
    return ask_job(id, NULL);
}

static int change_holds(const char *id, const char *holds)
{
    int code = ask_job(id, NULL);

    if (!code && !is_operator && strpbrk(holds, "so"))
        refuse(PBSE_PERM);
    return error;
}

int pbs_holdjob(int c, const char *id, const char *holds, const char *extend)
{
    (void)c;
    (void)extend;
    return change_holds(id, holds);
}

int pbs_rlsjob(int c, const char *id, const char *holds, const char *extend)
{
    (void)c;
    (void)extend;
    return change_holds(id, holds);
}

int pbs_sigjob(int c, const char *id, const char *signal, const char *extend)
{
    (void)c;
    (void)extend;
    if (!ask_job(id, "R") && strcmp(signal, "SIGFOO") == 0)
        refuse(PBSE_UNKSIG);
    return error;
}

int pbs_rerunjob(int c, const char *id, const char *extend)
{
    (void)c;
    (void)extend;
    if (!ask_job(id, "R") && !is_operator)
        refuse(PBSE_PERM);
    return error;
}

int pbs_msgjob(int c, const char *id, int file, const char *text, const char *extend)
{
    (void)c;
    (void)extend;
    /* What was sent is shown where a job's output would be. */
    if (!ask_job(id, "R"))
        printf("%d %s\n", file, text);
    return error;
}

int pbs_movejob(int c, const char *id, const char *destination, const char *extend)
{
    char *queue = xstrndup(destination, strcspn(destination, "@"));

    (void)c;
    (void)extend;
    if (!ask_job(id, "QHW") && *queue && !find("queue", queue))
        refuse(strcmp(queue, "untyped") == 0    ? PBSE_QUENOEN
               : strcmp(queue, "typeless") == 0 ? PBSE_NEEDQUET
                                                : PBSE_UNKQUE);
    free(queue);
    return error;
}

int pbs_orderjob(int c, const char *id1, const char *id2, const char *extend)
{
    (void)c;
    (void)extend;
    return ask_job(id1, "QHW") ? error : ask_job(id2, "QHW");
}

int pbs_runjob(int c, const char *id, const char *vnodes, const char *extend)
{
    (void)c;
    (void)extend;
    if (!is_operator)
        refuse(PBSE_PERM);
    else if (!ask_job(id, "QHW") && vnodes && strstr(vnodes, "nosuch"))
        refuse(PBSE_UNKNODE);
    return error;
}

int pbs_asyrunjob_ack(int c, const char *id, const char *vnodes, const char *extend)
{
    return pbs_runjob(c, id, vnodes, extend); /* nothing runs here */
}

char **pbs_selectjob(int c, struct attropl *criteria, const char *extend)
{
    static char *ids[OBJECTS_MAX + 1];
    size_t n = 0;
    char **list;

    (void)c;
    accept_it();
    if (!may_ask(extend))
        return NULL;
    for (size_t i = 0; i < n_objects; i++)
        if (strcmp(objects[i].kind, "job") == 0 && is_shown(&objects[i], extend) &&
            meets(&objects[i], criteria))
            ids[n++] = objects[i].name;
    ids[n] = NULL;
    list = xcalloc(n + 1, sizeof(*list));
    memcpy(list, ids, (n + 1) * sizeof(*list));
    return list;
}

int pbs_manager(int c, int command, int type, const char *name, struct attropl *attrs,
                const char *extend)
{
    (void)c;
    (void)command;
    (void)attrs;
    (void)extend;
    accept_it();
    if (!is_operator)
        refuse(PBSE_PERM);
    else if (type == MGR_OBJ_QUEUE && *name && !find("queue", name))
        refuse(PBSE_UNKQUE);
    else if (type == MGR_OBJ_HOST && !find("host", name))
        refuse(PBSE_UNKNODE);
    return error;
}

int pbs_terminate(int c, int manner, const char *extend)
{
    (void)c;
    (void)manner;
    (void)extend;
    accept_it();
    if (!is_operator)
        refuse(PBSE_PERM);
    return error;
}

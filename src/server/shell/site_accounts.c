/* site_accounts.c - users and groups (site_names.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/auth/auth.h"
#include "server/shell/site_names.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUPS_MAX     1024              /* of one user; the others are not looked at */
#define ENTRY_MAX_SIZE ((size_t)1 << 20) /* of an entry of a name service */

static const char *group_name(gid_t gid, struct arena *arena)
{
    struct group g, *found = NULL;
    size_t size = 4096;
    char *text = NULL;
    const char *name;
    int err;

    do {
        size *= 2;
        text = xrealloc(text, size);
        err = getgrgid_r(gid, &g, text, size, &found);
    } while (err == ERANGE && size < ENTRY_MAX_SIZE);
    /* A group without a name is shown by its number, as in PBS. */
    name = found ? arena_strdup(arena, found->gr_name)
                 : arena_printf(arena, "%lu", (unsigned long)gid);
    free(text);
    return name;
}

static void add_groups(const char *user, gid_t primary, struct arena *arena,
                       struct finding *ret)
{
    gid_t gids[GROUPS_MAX];
    int n = GROUPS_MAX;
    const char **v;

    /* More groups than there is room for: the first ones count. */
    if (getgrouplist(user, primary, gids, &n) < 0)
        n = GROUPS_MAX;
    v = ARENA_ARRAY(arena, const char *, (size_t)n + 1);
    /* The primary group comes first, because jobs run in it. */
    v[ret->groups.n++] = group_name(primary, arena);
    for (int i = 0; i < n; i++)
        if (gids[i] != primary)
            v[ret->groups.n++] = group_name(gids[i], arena);
    ret->groups.v = v;
}

/* A name service may have long entries, of which no more than ENTRY_MAX_SIZE is looked
 * at: the room for them grows until it is enough. */
bool site_entry(const char *user, struct site_entry *ret)
{
    struct passwd pw, *found = NULL;
    size_t size = 4096;
    char *text = NULL;
    int err;

    do {
        size *= 2;
        text = xrealloc(text, size);
        err = getpwnam_r(user, &pw, text, size, &found);
    } while (err == ERANGE && size < ENTRY_MAX_SIZE);
    if (found) {
        *ret = (struct site_entry){ .uid = pw.pw_uid, .gid = pw.pw_gid };
        if (strlen(pw.pw_dir) < sizeof(ret->home))
            memcpy(ret->home, pw.pw_dir, strlen(pw.pw_dir) + 1);
    }
    free(text);
    return found != NULL;
}

void site_groups(const char *user, struct arena *arena, struct finding *ret)
{
    struct site_entry entry;

    ret->found = site_entry(user, &entry);
    /* Without an entry there is no such account on this host. */
    if (ret->found)
        add_groups(user, entry.gid, arena, ret);
}

/* An account that is missing may be made any moment: this is not kept for long. */
void site_account(const char *user, struct finding *ret)
{
    struct site_entry entry;

    ret->found = site_entry(user, &entry);
    if (ret->found) {
        ret->uid = entry.uid;
        ret->gid = entry.gid;
    }
    ret->failed = !ret->found;
}

void site_user(const char *uid, struct arena *arena, struct finding *ret)
{
    char name[AUTH_USER_MAX + 1];
    struct diag why;

    ret->found =
        auth_user_name((uid_t)strtoul(uid, NULL, 10), name, sizeof(name), &why) == 0;
    /* A name service that is away may know the uid later, so the answer is not kept for
     * long. */
    ret->failed = !ret->found;
    ret->words = arena_strdup(arena, ret->found ? name : why.text);
}

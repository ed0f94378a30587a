/* help.c - what "help" says. Attributes are explained by the tables that everything
 * else uses.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cmds/qmgr/qmgr.h"

#include "lib/base/buf.h"

#include <stdlib.h>
#include <string.h>

enum which_attrs {
    NO_ATTRS,
    ATTRS_SERVER,
    ATTRS_SERVER_READ_ONLY,
    ATTRS_QUEUE,
    ATTRS_QUEUE_EXECUTION,
    ATTRS_QUEUE_ROUTE,
    ATTRS_QUEUE_READ_ONLY,
    ATTRS_NODE,
};

/* In the order in which a topic is compared (cli.md 8.7). */
static const struct {
    const char *name;
    enum which_attrs attrs;
    const char *text;
} topics[] = {
    { "active", NO_ATTRS,
      "active OBJECT NAME[,NAME...]\n"
      "active OBJECT\n"
      "Commands on queues and nodes that name none act on the active ones; commands\n"
      "that name no server go to the active servers. Without a name the active\n"
      "objects are shown.\n"
      "  active queue workq,express\n"
      "  active server pbs1,pbs2\n" },
    { "create", NO_ATTRS,
      "create OBJECT NAME[,NAME...] [ATTRIBUTE=VALUE[,...]]\n"
      "Makes queues, nodes, resources, scheds and hooks.\n"
      "  create queue express queue_type=e,Priority=150,enabled=t,started=t\n"
      "  create node n1,n2\n"
      "  create resource scratch type=size,flag=nh\n"
      "  create hook h1 event='queuejob,modifyjob'\n" },
    { "delete", NO_ATTRS,
      "delete OBJECT NAME[,NAME...]\n"
      "Takes queues, nodes, resources, scheds and hooks away. What is in use stays:\n"
      "a queue with jobs, a node with jobs or reservations.\n"
      "  delete queue express\n" },
    { "set", NO_ATTRS,
      "set OBJECT [NAME[,NAME...]] ATTRIBUTE[.RESOURCE] OPERATOR VALUE[,...]\n"
      "  set server scheduling = true\n"
      "  set server managers += ann@*.example.org\n"
      "  set queue express resources_max.ncpus = 8, Priority = 150\n"
      "  set node n1,n2 state = offline\n"
      "  set server max_run = '[u:PBS_GENERIC=10],[u:ann=20]'\n"
      "See also: operator, value, name, attribute.\n" },
    { "unset", NO_ATTRS,
      "unset OBJECT [NAME[,NAME...]] ATTRIBUTE[.RESOURCE][,...]\n"
      "Back to the default, or to nothing.\n"
      "  unset server max_run, comment\n"
      "  unset queue express resources_max.ncpus\n" },
    { "list", NO_ATTRS,
      "list OBJECT [NAME[,NAME...]] [ATTRIBUTE[,...]]\n"
      "Shows attributes. qmgr -F json shows them as JSON.\n"
      "  list server\n"
      "  list queue @default enabled,started\n" },
    { "print", NO_ATTRS,
      "print OBJECT [NAME[,NAME...]] [ATTRIBUTE[,...]]\n"
      "Shows the commands that make the objects again. 'print server' shows resources\n"
      "and queues too; nodes, scheds and hooks are printed on their own.\n"
      "  print server\n"
      "  print node @default\n" },
    { "import", NO_ATTRS,
      "import hook NAME application/x-python|application/x-config default|base64 "
      "FILE|-\n"
      "Gives a hook its script or its configuration; - reads what follows, base64 up "
      "to\n"
      "an empty line, else up to the end. For root on the server's host.\n"
      "  import hook h1 application/x-python default h1.py\n" },
    { "export", NO_ATTRS,
      "export hook NAME application/x-python|application/x-config default|base64 "
      "[FILE]\n"
      "Writes the script or the configuration of a hook into a file or to the output.\n"
      "  export hook h1 application/x-python default > h1.py\n" },
    { "quit", NO_ATTRS, "quit\nLeaves qmgr; so does the end of the input.\n" },
    { "exit", NO_ATTRS, "exit\nLeaves qmgr; so does the end of the input.\n" },
    { "operator", NO_ATTRS,
      "=   sets the value\n"
      "+=  adds to a number, a size or a duration, and members to a list\n"
      "-=  takes away likewise\n" },
    { "value", NO_ATTRS,
      "A value ends at a blank or comma. One with blanks or commas in it is quoted by "
      "'\n"
      "or \"; '' is the empty value. $'...' may hold \\n \\t \\\\ \\' \\\" and \\xHH.\n"
      "A # behind a blank begins a comment, a ; ends the command, a \\ at the end of "
      "a\n"
      "line continues it.\n"
      "  set server comment = 'maintenance on Friday, 18:00'\n" },
    { "name", NO_ATTRS,
      "NAME[@SERVER][,NAME[@SERVER]...], without blanks\n"
      "Names of queues, resources, scheds and hooks begin with a letter, those of "
      "nodes\n"
      "with a letter or a digit. @SERVER alone means all objects there; @default the\n"
      "default server, @active all active servers.\n"
      "  list queue workq@pbs2,@default\n" },
    { "attribute", NO_ATTRS,
      "Attributes by object; help on any of these lists them:\n"
      "  serverpublic serverro queuepublic queueexec queueroute queuero nodeattr\n"
      "'help NAME' explains the attribute of that name.\n" },
    { "serverpublic", ATTRS_SERVER, "Attributes of a server that can be set:\n" },
    { "serverro", ATTRS_SERVER_READ_ONLY, "What a server shows of itself:\n" },
    { "queuepublic", ATTRS_QUEUE, "Attributes of every queue that can be set:\n" },
    { "queueexec", ATTRS_QUEUE_EXECUTION, "Attributes of execution queues:\n" },
    { "queueroute", ATTRS_QUEUE_ROUTE, "Attributes of routing queues:\n" },
    { "queuero", ATTRS_QUEUE_READ_ONLY, "What a queue shows of itself:\n" },
    { "nodeattr", ATTRS_NODE, "Attributes of a node that can be set:\n" },
};

const char *qmgr_help_topic(size_t i)
{
    return i < ARRAY_LEN(topics) ? topics[i].name : NULL;
}

/* What a reader of help may set is what an operator or a manager may set. Attributes
 * that only the server or users write count as read only here. */
static bool is_writable(const struct attr_row *row)
{
    return (row->write & (WHO_OPERATOR | WHO_MANAGER)) != 0;
}

/* Rows without a reader and a writer, and those of Holdfast itself, are not part of
 * what qmgr shows. An attribute of queues that is of one type stands in the list of
 * that type only. */
static bool is_in(enum which_attrs which, const struct attr_row *row)
{
    const uint32_t of_type = row->flags & (ATTR_EXEC_QUEUE | ATTR_ROUTE_QUEUE);

    if ((row->flags & ATTR_INTERNAL) || !(row->read | row->write))
        return false;
    switch (which) {
    case ATTRS_SERVER:
    case ATTRS_NODE:
        return is_writable(row);
    case ATTRS_SERVER_READ_ONLY:
    case ATTRS_QUEUE_READ_ONLY:
        return !is_writable(row);
    case ATTRS_QUEUE:
        return is_writable(row) && !of_type;
    case ATTRS_QUEUE_EXECUTION:
        return is_writable(row) && of_type == ATTR_EXEC_QUEUE;
    case ATTRS_QUEUE_ROUTE:
        return is_writable(row) && of_type == ATTR_ROUTE_QUEUE;
    default:
        return false;
    }
}

/* The words are those of "make reference" and of the manual pages: they are written
 * once, in the rows. */
static void print_row(const struct attr_row *row)
{
    printf("  %-30s %s\n", row->name, row->doc ? row->doc : "");
}

static void print_attrs(enum which_attrs which)
{
    /* Four of the lists are about queues, so that table is the one to begin with. */
    const struct attr_table *table = &queue_table;

    if (which == ATTRS_SERVER || which == ATTRS_SERVER_READ_ONLY)
        table = &server_table;
    else if (which == ATTRS_NODE)
        table = &node_table;
    for (size_t i = 0; i < table->n; i++)
        if (is_in(which, &table->rows[i]))
            print_row(&table->rows[i]);
}

/* "help max_run": what the attribute means wherever there is one. */
static bool explain_attribute(const char *name)
{
    static const struct attr_table *const tables[] = { &server_table, &queue_table,
                                                       &node_table, &sched_table,
                                                       &hook_table };
    bool found = false;

    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        int row = attr_find(tables[i], name);
        const struct attr_row *r = row < 0 ? NULL : &tables[i]->rows[row];

        if (!r)
            continue;
        /* The same name may mean different things of a server and of a queue, so all
         * are told. */
        found = true;
        printf("%s of a %s (%s%s): %s\n", r->name, tables[i]->kind, r->type->name,
               is_writable(r) ? "" : ", read only", r->doc ? r->doc : "");
    }
    return found;
}

static void overview(void)
{
    puts("VERB OBJECT [NAME[,NAME...]] [ATTRIBUTE[.RESOURCE] [OPERATOR VALUE][,...]]\n"
         "Verbs and objects may be shortened. 'help TOPIC' says more.\n"
         "\n"
         "create, delete   make and take away objects\n"
         "set, unset       change attributes\n"
         "list, print      show attributes; show the commands that make an object "
         "again\n"
         "active           what commands without a name act on\n"
         "import, export   scripts and configurations of hooks\n"
         "history          commands of this terminal; !N repeats one\n"
         "quit, exit       leave\n"
         "\n"
         "Objects: server queue node resource sched hook pbshook\n"
         "Topics:  attribute operator name value, and the verbs\n");
}

void qmgr_help(const char *topic)
{
    char *word = xstrndup(topic, strcspn(topic, " \t"));
    size_t len = strlen(word), i = 0;
    bool found, longer;

    /* The topic and the word are compared as far as the shorter one goes: "op" and
     * "operatorz" both find "operator" (cli.md 8.7). An empty word would find the first
     * topic, so the overview is asked for before. */
    while (i < ARRAY_LEN(topics) &&
           strncmp(topics[i].name, word, MIN_OF(len, strlen(topics[i].name))) != 0)
        i++;
    found = i < ARRAY_LEN(topics);
    longer = found && len > strlen(topics[i].name);
    /* A word that goes beyond its topic may be the whole name of an attribute, as
     * "operators" is: then that is meant. */
    if (len == 0) {
        overview();
    } else if ((!found || longer) && explain_attribute(word)) {
        putchar('\n');
    } else if (found) {
        fputs(topics[i].text, stdout);
        print_attrs(topics[i].attrs);
        putchar('\n');
    } else {
        printf("No help available on: %s\n"
               "Check the PBS Reference Guide for more help.\n\n",
               word);
    }
    free(word);
}

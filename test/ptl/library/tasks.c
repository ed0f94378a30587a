/* A program of a job, compiled with the installed header alone: makes each call of task
 * management on a job of three vnodes, and says "ok" at the end.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tm.h>

#define EXPECT(what)                                                                   \
    do {                                                                               \
        if (!(what)) {                                                                 \
            printf("line %d: not so: %s\n", __LINE__, #what);                          \
            exit(1);                                                                   \
        }                                                                              \
    } while (0)

/* The code of the event. */
static int happened(tm_event_t event)
{
    tm_event_t next = TM_NULL_EVENT;
    int code = -1;

    EXPECT(tm_poll(TM_NULL_EVENT, &next, 1, &code) == TM_SUCCESS);
    EXPECT(next == event);
    return code;
}

int main(void)
{
    char sleep_path[] = "/bin/sleep", long_time[] = "1000", name[] = "key",
         other[] = "no";
    char value[] = { 'a', 0, 'b' }, got[8], text[400], one[] = "A=1";
    char *argv[] = { sleep_path, long_time, NULL }, *envp[] = { one, NULL };
    struct tm_roots roots;
    tm_node_id *nodes, node;
    tm_task_id tid, list[8];
    tm_event_t event;
    int n, status = -1, amount = 0, code;

    EXPECT(tm_spawn(2, argv, NULL, 0, &tid, &event) == TM_BADINIT);
    EXPECT(tm_init(NULL, &roots) == TM_SUCCESS);
    EXPECT(tm_init(NULL, &roots) == TM_BADINIT);
    EXPECT(roots.tm_me == 1 && roots.tm_parent == TM_NULL_TASK && roots.tm_nnodes == 3);
    EXPECT(tm_poll(TM_NULL_EVENT, &event, 0, &code) == TM_ENOEVENT);
    EXPECT(tm_nodeinfo(&nodes, &n) == TM_SUCCESS && n == 3 && nodes[2] == 2);

    EXPECT(tm_spawn(2, argv, envp, nodes[2], &tid, &event) == TM_SUCCESS);
    EXPECT(happened(event) == TM_SUCCESS && tid == 0x80000001);
    EXPECT(tm_atnode(tid, &node) == TM_SUCCESS && node == 2);
    EXPECT(tm_atnode(77, &node) == TM_ENOTFOUND);
    EXPECT(tm_taskinfo(2, list, 8, &n, &event) == TM_SUCCESS);
    EXPECT(happened(event) == TM_SUCCESS && n == 1 && list[0] == tid);
    EXPECT(tm_taskinfo(0, list, 8, &n, &event) == TM_SUCCESS);
    EXPECT(happened(event) == TM_SUCCESS && n == 1 && list[0] == 1);

    EXPECT(tm_obit(tid, &status, &event) == TM_SUCCESS);
    EXPECT(tm_poll(TM_NULL_EVENT, &event, 0, &code) == TM_SUCCESS);
    EXPECT(event == TM_NULL_EVENT);
    EXPECT(tm_kill(tid, 9, &event) == TM_SUCCESS);
    EXPECT(happened(event) == TM_SUCCESS);
    EXPECT(tm_poll(TM_NULL_EVENT, &event, 1, &code) == TM_SUCCESS && status == 256 + 9);
    EXPECT(tm_obit(tid, &status, &event) == TM_SUCCESS); /* once more, of what was */
    EXPECT(happened(event) == TM_SUCCESS && status == 256 + 9);
    EXPECT(tm_kill(tid, 9, &event) == TM_SUCCESS && happened(event) == TM_ENOTFOUND);
    /* One that is killed before its program has begun was killed all the same. */
    for (int i = 0; i < 20; i++) {
        EXPECT(tm_spawn(2, argv, NULL, 0, &tid, &event) == TM_SUCCESS);
        EXPECT(happened(event) == TM_SUCCESS);
        EXPECT(tm_kill(tid, 9, &event) == TM_SUCCESS && happened(event) == TM_SUCCESS);
        EXPECT(tm_obit(tid, &status, &event) == TM_SUCCESS);
        EXPECT(happened(event) == TM_SUCCESS && status == 256 + 9);
    }
    EXPECT(tm_spawn(2, argv, NULL, 3, &tid, &event) == TM_SUCCESS);
    EXPECT(happened(event) == TM_ENOTFOUND);

    EXPECT(tm_publish(name, value, 3, &event) == TM_SUCCESS && happened(event) == 0);
    memset(got, 'x', sizeof(got));
    EXPECT(tm_subscribe(1, name, got, 2, &amount, &event) == TM_SUCCESS);
    EXPECT(happened(event) == 0 && amount == 3 && !memcmp(got, "a\0x", 3));
    EXPECT(tm_subscribe(1, other, got, 2, &amount, &event) == TM_SUCCESS);
    EXPECT(happened(event) == TM_ENOTFOUND);
    EXPECT(tm_rescinfo(1, text, sizeof(text), &event) == TM_SUCCESS);
    EXPECT(happened(event) == 0 && strstr(text, "h1:") && strstr(text, "ncpus=3"));
    EXPECT(tm_notify(1) == TM_ENOTIMPLEMENTED && tm_alloc(text, &event) != TM_SUCCESS);
    EXPECT(tm_finalize() == TM_SUCCESS && tm_finalize() == TM_BADINIT);
    free(nodes);
    puts("ok");
    return 0;
}

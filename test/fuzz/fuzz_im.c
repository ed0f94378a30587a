/* Fuzz target: messages between MoMs, and the body of an answer to each question.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/wire/im.h"

#include "fuzz.h"

const char fuzz_frames[] = "im.txt";

/* What was read once is read again from what it is written as. */
static void check_again(const struct im_message *msg, struct buf *b, struct arena *a)
{
    struct im_message again;

    buf_clear(b);
    im_dump(b, msg);
    buf_clear(b);
    im_encode(b, msg);
    FUZZ_CHECK(im_decode(b->data, b->len, a, &again) == DIS_OK);
    FUZZ_CHECK(again.command == msg->command && again.event == msg->event);
    if (msg->asked)
        FUZZ_CHECK(im_decode_answer(&again, msg->asked, a) == DIS_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct arena *a = arena_new();
    struct buf b = { 0 };
    struct im_message msg;

    (void)im_protocol_of((const char *)data, len);
    if (im_decode((const char *)data, len, a, &msg) == DIS_OK) {
        FUZZ_CHECK(arena_used_bytes(a) <= WIRE_MOST_BYTES(len));
        check_again(&msg, &b, a);
        for (int asked = 1; msg.command == IM_ALL_OKAY && asked <= IM_ERROR2; asked++) {
            struct im_message answer = msg;

            if (im_decode_answer(&answer, (enum im_command)asked, a) == DIS_OK)
                check_again(&answer, &b, a);
        }
    } else {
        FUZZ_CHECK(arena_used_bytes(a) == 0);
    }
    buf_fini(&b);
    arena_free(a);
    return 0;
}

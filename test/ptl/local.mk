# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST += check quickstart autogen.sh \
	test/ptl/README.md test/ptl/conftest.py test/ptl/story.py \
	test/ptl/test_from_job.py \
	test/ptl/test_hostile.py test/ptl/test_kill.py \
	test/ptl/test_kill_loop.py test/ptl/test_look.py \
	test/ptl/test_mom.py test/ptl/test_node_loss.py test/ptl/test_resv.py \
	test/ptl/holdfast/__init__.py test/ptl/holdfast/cluster.py \
	test/ptl/holdfast/constants.py test/ptl/holdfast/objects.py \
	test/ptl/holdfast/services.py test/ptl/holdfast/users.py
EXTRA_DIST += test/ptl/holdfast/wire.py test/ptl/test_conversations.py \
	test/ptl/test_tcp.py \
	test/golden/conversations/clients.txt

/* describe.c - see describe.h; with libhwloc.
 *
 * The text is in the form of hwloc 1, which all servers read: they look for "Socket".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mom/topology/describe.h"

#include "lib/base/base.h"
#include "lib/base/buf.h"

#include <errno.h>
#include <hwloc.h>
#include <hwloc/export.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX      "hwloc"
#define SOCKETS_MAX 4096

enum detail { /* from much to little */
    WITH_DEVICES,
    WITH_CACHES,
    WITH_CORES,
    WITH_SOCKETS,
};

static bool set_source(hwloc_topology_t t, const struct topology_source *from,
                       struct diag *why)
{
    if (from->xml) {
        /* The library counts the NUL. */
        if (from->xml_len < INT_MAX &&
            hwloc_topology_set_xmlbuffer(t, from->xml, (int)from->xml_len + 1) == 0)
            return true;
        diag_set(why, PBSE_SYSTEM, "this is no exported topology");
        return false;
    }
    if (!from->synthetic || hwloc_topology_set_synthetic(t, from->synthetic) == 0)
        return true;
    diag_set(why, PBSE_SYSTEM, "\"%.200s\" describes no topology", from->synthetic);
    return false;
}

/* NULL, with words: it cannot be loaded. */
static hwloc_topology_t load(const struct topology_source *from, enum detail detail,
                             struct diag *why)
{
    hwloc_topology_t t;

    if (hwloc_topology_init(&t) != 0) {
        diag_set(why, PBSE_SYSTEM, "libhwloc: %s", strerror(errno));
        return NULL;
    }
    /* Bridges and devices that nobody uses by name are left out. */
    if (detail <= WITH_DEVICES)
        hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (detail > WITH_CACHES)
        hwloc_topology_set_cache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
    if (set_source(t, from, why)) {
        if (hwloc_topology_load(t) == 0)
            return t;
        diag_set(why, PBSE_SYSTEM, "this topology cannot be loaded: %s",
                 strerror(errno));
    }
    hwloc_topology_destroy(t);
    return NULL;
}

/* Names of models stay the same, and are no secret. Serial numbers, names of hosts and
 * processes, versions of the kernel are none of them. */
static bool is_lasting(const char *name)
{
    static const char *const names[] = { "CPUModel",  "CPUVendor", "GPUModel",
                                         "GPUVendor", "PCIVendor", "PCIDevice" };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Texts that are not told go behind the others, where the export does not see them. How
 * many there are is kept with the object, for the library frees all of them. */
static void strip(hwloc_obj_t obj)
{
    unsigned n = 0;

    obj->userdata = (void *)(uintptr_t)obj->infos_count;
    for (unsigned i = 0; i < obj->infos_count; i++)
        if (is_lasting(obj->infos[i].name)) {
            struct hwloc_info_s info = obj->infos[i];

            obj->infos[i] = obj->infos[n];
            obj->infos[n++] = info;
        }
    obj->infos_count = n;
    /* Links save power, and large pages are given out and taken back. */
    if (obj->type == HWLOC_OBJ_PCI_DEVICE)
        obj->attr->pcidev.linkspeed = 0;
    if (obj->type == HWLOC_OBJ_BRIDGE)
        obj->attr->bridge.upstream.pci.linkspeed = 0;
    if (obj->type == HWLOC_OBJ_NUMANODE)
        obj->attr->numanode.page_types_len = 0;
}

static void give_back(hwloc_obj_t obj)
{
    obj->infos_count = (unsigned)(uintptr_t)obj->userdata;
}

static void each_object(hwloc_topology_t t, void (*fn)(hwloc_obj_t obj))
{
    static const int special[] = {
        HWLOC_TYPE_DEPTH_NUMANODE,   HWLOC_TYPE_DEPTH_BRIDGE,
        HWLOC_TYPE_DEPTH_PCI_DEVICE, HWLOC_TYPE_DEPTH_OS_DEVICE,
        HWLOC_TYPE_DEPTH_MISC,       HWLOC_TYPE_DEPTH_MEMCACHE
    };

    for (int depth = 0; depth < hwloc_topology_get_depth(t); depth++)
        for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_depth(t, depth, o));)
            fn(o);
    for (size_t i = 0; i < ARRAY_LEN(special); i++)
        for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_depth(t, special[i], o));)
            fn(o);
}

/* The least that servers take: one entry for each socket. */
static char *sockets_only(hwloc_topology_t t)
{
    int n = hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE);
    struct buf b = { 0 };

    buf_printf(&b, PREFIX "<?xml version=\"1.0\"?>\n<topology>\n"
                          "  <object type=\"Machine\">\n");
    for (int i = 0; i < MIN_OF(MAX_OF(n, 1), SOCKETS_MAX); i++)
        buf_printf(&b, "    <object type=\"Socket\" os_index=\"%d\"></object>\n", i);
    buf_printf(&b, "  </object>\n</topology>\n");
    return b.data;
}

static char *exported(hwloc_topology_t t)
{
    char *xml, *text;
    int len, err;

    each_object(t, strip);
    err = hwloc_topology_export_xmlbuffer(t, &xml, &len,
                                          HWLOC_TOPOLOGY_EXPORT_XML_FLAG_V1);
    each_object(t, give_back);
    if (err)
        return sockets_only(t);
    text = xasprintf(PREFIX "%s", xml);
    hwloc_free_xmlbuffer(t, xml);
    return text;
}

int topology_describe(const struct topology_source *from, size_t max_bytes, char **ret,
                      struct diag *why)
{
    for (enum detail detail = WITH_DEVICES;; detail++) {
        hwloc_topology_t t = load(from, detail, why);
        char *text;

        if (!t)
            return PBSE_SYSTEM;
        text = detail == WITH_SOCKETS ? sockets_only(t) : exported(t);
        hwloc_topology_destroy(t);
        if (strlen(text) <= max_bytes) {
            *ret = text;
            return 0;
        }
        free(text);
        if (detail == WITH_SOCKETS)
            return diag_set(why, PBSE_SYSTEM,
                            "its sockets alone need more than %zu "
                            "bytes",
                            max_bytes);
    }
}

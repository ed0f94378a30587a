/* leaf_conf.c - a leaf as the configuration of this host wants it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "lib/io/conf.h"
#include "lib/tpp/leaf.h"

#include <stdlib.h>
#include <string.h>

int leaf_new_by_conf(const struct conf *conf, uint16_t port, bool makes_key,
                     struct leaf_config *cfg, struct leaf **ret, struct diag *why)
{
    struct tpp_addr *addrs = NULL;
    int err;

    cfg->routers = conf_routers(conf);
    cfg->auth_method = leaf_method(conf->auth_method, conf->supported_auth_methods);
    cfg->encrypt_method = conf->encrypt_method;
    err =
        leaf_addresses(conf->leaf_name, cfg->routers, port, &addrs, &cfg->n_addrs, why);
    cfg->addrs = addrs;
    /* The key is read for the leaf, which has its own copy, and forgotten here. */
    if (!err && strcmp(cfg->auth_method, CLUSTERKEY_METHOD) == 0)
        err = clusterkey_load(conf_cluster_key(conf), makes_key, &cfg->key, why);
    if (!err)
        err = leaf_new(cfg, ret, why);
    clusterkey_clear(&cfg->key);
    cfg->addrs = NULL;
    free(addrs);
    return err;
}

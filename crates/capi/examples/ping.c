/* Two endpoints in a network with a competing TCP flow: a request every 100 ms, and a reply to each. crates/capi/README.md
 * says how it is compiled. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ackclock.h"

#define MS UINT64_C(1000000)

static void check(AckclockStatus status) {
    if (status != ACKCLOCK_STATUS_OK) {
        fprintf(stderr, "ping: %s\n", ackclock_last_error());
        exit(1);
    }
}

int main(void) {
    AckclockNode left, right;
    AckclockEndpoint client, server;
    AckclockNetwork *network = ackclock_network_new();
    check(ackclock_network_ends(network, 5000 * MS));
    check(ackclock_network_node(network, "left", &left));
    check(ackclock_network_node(network, "right", &right));
    AckclockLink *bottleneck = ackclock_link_new(10e6, 20 * MS);
    check(ackclock_link_param(bottleneck, "limit", 100));
    check(ackclock_network_duplex(network, left, right, bottleneck, NULL));
    AckclockFlow *cubic = ackclock_flow_tcp(network, left, right);
    check(ackclock_flow_starts(cubic, 2000 * MS));
    check(ackclock_network_flow(network, cubic, NULL));
    check(ackclock_network_endpoint(network, left, &client));
    check(ackclock_network_endpoint(network, right, &server));
    AckclockSimulation *simulation;
    check(ackclock_network_build(network, &simulation));

    uint64_t now, sent, next_request = 0; /* the client's timer */
    while (ackclock_simulation_advance(simulation, next_request, &now) == ACKCLOCK_STATUS_OK) {
        const AckclockDelivery *one;
        size_t count;
        for (check(ackclock_simulation_deliveries(simulation, &one, &count)); count > 0; one++, count--) {
            if (one->at == server) {
                check(ackclock_simulation_send(simulation, server, now, client, 0, one->payload, one->payload_bytes));
            } else {
                memcpy(&sent, one->payload, sizeof sent);
                printf("%.3f s: round trip of %.1f ms\n", now / 1e9, (now - sent) / 1e6);
            }
        }
        if (now == next_request) {
            next_request += 100 * MS;
            ackclock_simulation_send(simulation, client, now, server, 0, (const uint8_t *)&now, sizeof now);
        }
    }
    fprintf(stderr, "ping: %s\n", ackclock_last_error()); /* the end */
    ackclock_simulation_free(simulation);
    ackclock_network_free(network);
    ackclock_flow_free(cubic);
    ackclock_link_free(bottleneck);
}

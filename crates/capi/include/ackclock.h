/* ackclock: a deterministic packet network in virtual time, between endpoints of your own.
 *
 * Written by cbindgen from crates/capi. Do not edit: ACKCLOCK_WRITE=1 cargo test -p ackclock-capi --test header
 *
 * Times are nanoseconds since the start, rates are bit/s, sizes are bytes.
 *
 * Each function that can fail returns a status, or NULL where it makes something. ackclock_last_error() says what was
 * wrong. A refused call changes nothing. No call ends the process.
 *
 * Pointers: a handle is NULL, or was made by this library and not freed yet. A text ends with a zero and is UTF-8. A
 * place for a result may be uninitialised. A handle is used by one thread at a time.
 */

#ifndef ACKCLOCK_H
#define ACKCLOCK_H

#include <stddef.h>
#include <stdint.h>

// The time of what does not happen.
#define ACKCLOCK_NEVER UINT64_MAX

// ECN field of the IP header: not ECN-capable.
#define ACKCLOCK_ECN_NOT_ECT 0

// ECN field: ECT(1), the sender's response is scalable (RFC 9331).
#define ACKCLOCK_ECN_ECT1 1

// ECN field: ECT(0), ECN-capable.
#define ACKCLOCK_ECN_ECT0 2

// ECN field: congestion experienced.
#define ACKCLOCK_ECN_CE 3

// What a call returns. After all errors but the last three the handle can be used as before.
typedef enum {
    // Done.
    ACKCLOCK_STATUS_OK = 0,
    // A pointer is NULL.
    ACKCLOCK_STATUS_NULL = 1,
    // A number or a text is not one that the function takes.
    ACKCLOCK_STATUS_INVALID_ARGUMENT = 2,
    // The network cannot be simulated: an unknown name or a value out of range.
    ACKCLOCK_STATUS_BUILD = 3,
    // The time has passed.
    ACKCLOCK_STATUS_PAST = 4,
    // The datagram does not fit through a link of its path.
    ACKCLOCK_STATUS_TOO_LARGE = 5,
    // No path leads from one node to the other.
    ACKCLOCK_STATUS_NO_ROUTE = 6,
    // The endpoint is of another network.
    ACKCLOCK_STATUS_UNKNOWN_ENDPOINT = 7,
    // A file cannot be written.
    ACKCLOCK_STATUS_FILE = 8,
    // The simulation has reached its end. Its reports can still be read.
    ACKCLOCK_STATUS_OVER = 9,
    // The simulation cannot continue: every later call that moves it gives the same error.
    ACKCLOCK_STATUS_FAILED = 10,
    // A defect of ackclock. The handle can only be freed.
    ACKCLOCK_STATUS_PANIC = 11,
} AckclockStatus;

// A flow of the engine, which competes with your endpoints.
typedef struct AckclockFlow AckclockFlow;

// What a link is to be: rate, delay, queue discipline, losses.
typedef struct AckclockLink AckclockLink;

// The description of a network: nodes, links, flows and endpoints.
typedef struct AckclockNetwork AckclockNetwork;

// A network in virtual time. It moves only when ackclock_simulation_advance is called.
typedef struct AckclockSimulation AckclockSimulation;

// The tables of a run of a scenario, those of ackclock run: flows, links, and what the scenario records.
typedef struct AckclockTables AckclockTables;

// The number of a node: a host or a router.
typedef uint32_t AckclockNode;

// The number of a link in one direction.
typedef uint32_t AckclockLinkId;

// The number of a flow of the engine.
typedef uint32_t AckclockFlowId;

// The number of an endpoint: the place of a node where your program sends and receives datagrams.
typedef uint32_t AckclockEndpoint;

// The number of a flow between endpoints of your program, for the tables.
typedef uint32_t AckclockExternalFlow;

// A datagram that has arrived.
typedef struct {
    // The endpoint at which it arrived.
    AckclockEndpoint at;
    // The endpoint that sent it.
    AckclockEndpoint from;
    // When it was sent.
    uint64_t sent_ns;
    // When it arrived, rounded up to whole nanoseconds.
    uint64_t time_ns;
    // Its bytes.
    const uint8_t *payload;
    // Their number.
    size_t payload_bytes;
    // The ECN field; ACKCLOCK_ECN_CE if a queue has marked it.
    uint8_t ecn;
} AckclockDelivery;

// A distribution of delays, ns. Percentiles have a relative error of at most 1/256.
typedef struct {
    // The mean.
    uint64_t mean_ns;
    // The median.
    uint64_t median_ns;
    // The 95th percentile.
    uint64_t p95_ns;
    // The 99th percentile.
    uint64_t p99_ns;
    // The maximum.
    uint64_t max_ns;
} AckclockDelays;

// A link up to now.
typedef struct {
    // Packets whose transmission has begun.
    uint64_t sent_packets;
    // Their bytes on the wire.
    uint64_t sent_bytes;
    // Packets that the queue discipline dropped.
    uint64_t dropped_packets;
    // Packets that the link's losses took.
    uint64_t lost_packets;
    // Packets that the queue discipline marked with CE.
    uint64_t marked_packets;
    // The part of the time in which it sent, 0 to 1.
    double utilisation;
    // How long the sent packets waited in the queue.
    AckclockDelays queueing_delay;
} AckclockLinkReport;

// A flow of the engine up to now.
typedef struct {
    // Bytes of data that reached the receiver, in order and without duplicates.
    uint64_t delivered_bytes;
    // The same as a rate since the flow's start, to its completion, its stop or now, bit/s.
    double goodput_bps;
    // Packets sent, retransmissions included.
    uint64_t sent_packets;
    // Packets of the sender that were dropped or lost.
    uint64_t lost_packets;
    // Packets that arrived with a congestion mark.
    uint64_t marked_packets;
    // The sender's congestion window, packets; 0 for UDP.
    double cwnd_packets;
    // When all its bytes were acknowledged; ACKCLOCK_NEVER before.
    uint64_t completed_ns;
} AckclockFlowReport;

// An endpoint of your program up to now.
typedef struct {
    // Datagrams sent.
    uint64_t sent_packets;
    // Their bytes on the wire.
    uint64_t sent_bytes;
    // Datagrams sent that were dropped or lost.
    uint64_t lost_packets;
    // Datagrams received.
    uint64_t received_packets;
    // Their bytes on the wire.
    uint64_t received_bytes;
    // Datagrams received with a congestion mark.
    uint64_t marked_packets;
    // How long the received datagrams were under way.
    AckclockDelays delay;
} AckclockEndpointReport;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What was wrong with the last call of this thread that failed; an empty text if none has failed. The text is valid until
// another call of this thread fails.
const char *ackclock_last_error(void);

// The id of a congestion control, counted from 0; NULL behind the last one.
const char *ackclock_control(size_t index);

// The id of a queue discipline, counted from 0; NULL behind the last one.
const char *ackclock_queue(size_t index);

// The version of ackclock, such as "0.2.0". The header of another version may not fit.
const char *ackclock_version(void);

// A link of this rate, bit/s, and propagation delay, with a drop-tail queue. Free it with ackclock_link_free.
AckclockLink *ackclock_link_new(double rate_bps, uint64_t delay_ns);

// Frees the description. Links that were made of it stay. NULL is ignored.
void ackclock_link_free(AckclockLink *link);

// The queue discipline by its id (ackclock_queue).
AckclockStatus ackclock_link_queue(AckclockLink *link, const char *id);

// A parameter of the queue discipline. Whole numbers are truncated; 0 and 1 are off and on.
AckclockStatus ackclock_link_param(AckclockLink *link, const char *name, double number);

// The maximum of bytes of an IP packet; 1500 unless set. It limits datagrams.
AckclockStatus ackclock_link_mtu(AckclockLink *link, uint32_t bytes);

// The cost for the choice of routes; 1 unless set. Packets take the path with the smallest sum.
AckclockStatus ackclock_link_cost(AckclockLink *link, double cost);

// Each packet is lost with this probability. Several losses of a link add up, in the order of the calls.
AckclockStatus ackclock_link_loss_random(AckclockLink *link, double probability);

// These packets of the link are lost, counted from 0.
AckclockStatus ackclock_link_loss_packets(AckclockLink *link, const uint32_t *listed, size_t count);

// The losses of an error model by its id.
AckclockStatus ackclock_link_loss_model(AckclockLink *link, const char *id);

// A parameter of the loss that was added last.
AckclockStatus ackclock_link_loss_param(AckclockLink *link, const char *name, double number);

// Today's TCP with CUBIC, and data without end. Free it with ackclock_flow_free.
AckclockFlow *ackclock_flow_tcp(const AckclockNetwork *network, AckclockNode from, AckclockNode to);

// UDP at a constant rate, bit/s, in packets of 1250 bytes. Free it with ackclock_flow_free.
AckclockFlow *ackclock_flow_udp(const AckclockNetwork *network,
                                AckclockNode from,
                                AckclockNode to,
                                double rate_bps);

// Frees the description. Flows that were made of it stay. NULL is ignored.
void ackclock_flow_free(AckclockFlow *flow);

// The congestion control of a TCP flow by its id (ackclock_control).
AckclockStatus ackclock_flow_control(AckclockFlow *flow, const char *id);

// A TCP flow sends this many bytes and no more.
AckclockStatus ackclock_flow_bytes(AckclockFlow *flow, uint64_t bytes);

// A parameter of the sender or of its congestion control, such as segsize or ecn. Whole numbers are truncated; 0 and 1 are
// off and on.
AckclockStatus ackclock_flow_param(AckclockFlow *flow,
                                   const char *name,
                                   double number);

// A parameter of the receiver, such as window, its maximum receive window in packets.
AckclockStatus ackclock_flow_receiver_param(AckclockFlow *flow, const char *name, double number);

// When it starts; at once unless set.
AckclockStatus ackclock_flow_starts(AckclockFlow *flow, uint64_t at_ns);

// When it stops; never unless set.
AckclockStatus ackclock_flow_stops(AckclockFlow *flow, uint64_t at_ns);

// An empty network. Free it with ackclock_network_free.
AckclockNetwork *ackclock_network_new(void);

// Frees the description. Simulations that were made of it stay. NULL is ignored.
void ackclock_network_free(AckclockNetwork *network);

// The seed of all random numbers; 1 unless set. Each link and flow has a stream of its own.
AckclockStatus ackclock_network_seed(AckclockNetwork *network, uint64_t seed);

// Bytes of the headers of each datagram on the wire; 28 unless set, for IPv4 and UDP.
AckclockStatus ackclock_network_header_bytes(AckclockNetwork *network, uint32_t bytes);

// The simulation ends at this time; never unless set.
AckclockStatus ackclock_network_ends(AckclockNetwork *network, uint64_t at_ns);

// Adds a node. Its name appears in errors.
AckclockStatus ackclock_network_node(AckclockNetwork *network, const char *name, AckclockNode *node);

// Adds a link in one direction. Of several links between two nodes the last one is used. `id` may be NULL.
AckclockStatus ackclock_network_link(AckclockNetwork *network,
                                     AckclockNode from,
                                     AckclockNode to,
                                     const AckclockLink *link,
                                     AckclockLinkId *id);

// Adds two links of a kind, one in each direction. `ids` takes both, from the first node to the second and back; it may be
// NULL.
AckclockStatus ackclock_network_duplex(AckclockNetwork *network,
                                       AckclockNode one,
                                       AckclockNode other,
                                       const AckclockLink *link,
                                       AckclockLinkId *ids);

// Adds a flow of the engine. `id` may be NULL.
AckclockStatus ackclock_network_flow(AckclockNetwork *network, const AckclockFlow *flow, AckclockFlowId *id);

// Adds an endpoint at a node.
AckclockStatus ackclock_network_endpoint(AckclockNetwork *network,
                                         AckclockNode node,
                                         AckclockEndpoint *endpoint);

// What goes from one endpoint to another is a flow of this name, with a row in the tables behind the scenario's flows. An
// endpoint has at most one.
AckclockStatus ackclock_network_external_flow(AckclockNetwork *network,
                                              const char *name,
                                              AckclockEndpoint sender,
                                              AckclockEndpoint receiver,
                                              AckclockExternalFlow *flow);

// The receiver's application has got so many bytes of the flow up to now. The tables' goodput is computed from it. Without
// this call it is computed from the bytes on the wire.
AckclockStatus ackclock_simulation_note_delivered(AckclockSimulation *simulation,
                                                  AckclockExternalFlow flow,
                                                  uint64_t bytes);

// The flow has transferred all that it was there for: its completion in the tables is now.
AckclockStatus ackclock_simulation_note_completion(AckclockSimulation *simulation, AckclockExternalFlow flow);

// The network of a scenario, which is the text of a scenario file: its nodes, links, flows and changes, its seed and its
// duration. Only endpoints are added to it. NULL for a scenario that cannot be simulated, or is not read here. Free it
// with ackclock_network_free.
AckclockNetwork *ackclock_network_from_scenario(const char *scenario);

// The node of this name.
AckclockStatus ackclock_network_find_node(AckclockNetwork *network, const char *name, AckclockNode *node);

// The link from one node to another, the last one if there are several.
AckclockStatus ackclock_network_find_link(AckclockNetwork *network,
                                          AckclockNode from,
                                          AckclockNode to,
                                          AckclockLinkId *link);

// Makes the simulation, at time 0. Free it with ackclock_simulation_free.
AckclockStatus ackclock_network_build(const AckclockNetwork *network, AckclockSimulation **simulation);

// Frees the simulation and the datagrams that it gave. NULL is ignored.
void ackclock_simulation_free(AckclockSimulation *simulation);

// The present time.
AckclockStatus ackclock_simulation_now(AckclockSimulation *simulation, uint64_t *now_ns);

// Sends a datagram at a time that has not passed, now or later. The bytes are copied. At one instant, packets of the
// network move first, then datagrams are sent, in the order of the calls.
//
// ACKCLOCK_STATUS_PAST, _TOO_LARGE, _NO_ROUTE, _UNKNOWN_ENDPOINT: the datagram is not sent, and the simulation goes on.
AckclockStatus ackclock_simulation_send(AckclockSimulation *simulation,
                                        AckclockEndpoint from,
                                        uint64_t at_ns,
                                        AckclockEndpoint to,
                                        uint8_t ecn,
                                        const uint8_t *payload,
                                        size_t payload_bytes);

// The time of the next event: before it, nothing in the network changes and nothing is delivered. ACKCLOCK_NEVER at the end,
// or if nothing moves any more.
AckclockStatus ackclock_simulation_next_event(AckclockSimulation *simulation,
                                              uint64_t *at_ns);

// Runs to `until_ns`, to the first delivery, or to the end, whichever is first. `now_ns` takes that time; it may be NULL.
AckclockStatus ackclock_simulation_advance(AckclockSimulation *simulation,
                                           uint64_t until_ns,
                                           uint64_t *now_ns);

// Takes the datagrams that were delivered, in the order of their arrival. They and their bytes are valid until the next
// call of this function with the same simulation, or until it is freed.
AckclockStatus ackclock_simulation_deliveries(AckclockSimulation *simulation,
                                              const AckclockDelivery **deliveries,
                                              size_t *count);

// What was measured on a link.
AckclockStatus ackclock_simulation_link_report(AckclockSimulation *simulation,
                                               AckclockLinkId link,
                                               AckclockLinkReport *report);

// What was measured of a flow of the engine.
AckclockStatus ackclock_simulation_flow_report(AckclockSimulation *simulation,
                                               AckclockFlowId flow,
                                               AckclockFlowReport *report);

// What was measured at an endpoint of your program.
AckclockStatus ackclock_simulation_endpoint_report(AckclockSimulation *simulation,
                                                   AckclockEndpoint endpoint,
                                                   AckclockEndpointReport *report);

// Writes the datagrams that an endpoint sends and gets from now on to a file, for Wireshark (pcapng). A file that is there
// is replaced. ACKCLOCK_STATUS_FILE if it cannot be made.
AckclockStatus ackclock_simulation_capture(AckclockSimulation *simulation,
                                           AckclockEndpoint endpoint,
                                           const char *path);

// Ends the captures. ACKCLOCK_STATUS_FILE if one could not be written: it has all up to the failure.
AckclockStatus ackclock_simulation_end_captures(AckclockSimulation *simulation);

// Takes the tables of a run of a scenario up to now. Afterwards, and without a scenario, there are none. Free them with
// ackclock_tables_free.
AckclockStatus ackclock_simulation_take_tables(AckclockSimulation *simulation,
                                               AckclockTables **tables);

// Frees the tables and the texts that they gave. NULL is ignored.
void ackclock_tables_free(AckclockTables *tables);

// The name of a table, counted from 0; NULL behind the last one. The text is valid until the tables are freed.
const char *ackclock_tables_name(const AckclockTables *tables,
                                 size_t table);

// The name of a column of a table, both counted from 0; NULL behind the last one. The text is valid until the tables are
// freed.
const char *ackclock_tables_column_name(const AckclockTables *tables,
                                        size_t table,
                                        size_t column);

// The number of the table of this name.
AckclockStatus ackclock_tables_find(const AckclockTables *tables, const char *name, size_t *table);

// The number of the column of this name in a table.
AckclockStatus ackclock_tables_find_column(const AckclockTables *tables,
                                           size_t table,
                                           const char *name,
                                           size_t *column);

// The number of rows of a table.
AckclockStatus ackclock_tables_rows(const AckclockTables *tables, size_t table, size_t *rows);

// A value as a real number. NaN where it is missing, and in a column of words. Integers above 2^53 are rounded.
AckclockStatus ackclock_tables_number(const AckclockTables *tables,
                                      size_t table,
                                      size_t column,
                                      size_t row,
                                      double *number);

// A value of a column of words; NULL in a column of numbers. The text is valid until the tables are freed.
AckclockStatus ackclock_tables_word(AckclockTables *tables,
                                    size_t table,
                                    size_t column,
                                    size_t row,
                                    const char **word);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ACKCLOCK_H */

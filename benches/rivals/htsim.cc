// htsim FLOWS MBPS LIMIT SECONDS SPREAD
//
// dumbbell.tcl for htsim (https://github.com/Broadcom/csg-htsim): FLOWS endless transfers by its TCP, a NewReno without SACK,
// from as many hosts, over one link of MBPS and 20 ms whose queue holds LIMIT packets; packets of 1000 bytes, an ACK for each;
// they start evenly over SPREAD seconds. Prints how many packets each flow delivered.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>

#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

// A queue and the wire behind it.
struct Way {
    Way(linkspeed_bps rate, double packets, double delay_ms, EventList &events)
        : queue(rate, memFromPkt(packets), events, nullptr), wire(timeFromMs(delay_ms), events) {}

    void lead(Route &route) {
        route.push_back(&queue);
        route.push_back(&wire);
    }

    Queue queue;
    Pipe wire;
};

struct Access : Way {
    explicit Access(EventList &events) : Way(speedFromMbps(1000.0), 100000, 2.0, events) {}
};

struct Flow {
    explicit Flow(EventList &events)
        : source(nullptr, nullptr, events), out(events), into(events), back(events), home(events) {}

    TcpSrc source;
    TcpSink sink;
    Access out, into, back, home;
    Route there, here;
};

int main(int argc, char **argv) {
    if (argc != 6) {
        std::cerr << "htsim FLOWS MBPS LIMIT SECONDS SPREAD\n";
        return 2;
    }
    const int flows = std::atoi(argv[1]);
    const double mbps = std::atof(argv[2]), limit = std::atof(argv[3]), seconds = std::atof(argv[4]), spread = std::atof(argv[5]);
    const int packet_bytes = 1000;

    EventList &events = EventList::getTheEventList();
    events.setEndtime(timeFromSec(seconds));
    Packet::set_packet_size(packet_bytes);
    TcpRtxTimerScanner timers(timeFromMs(10), events);
    Way forth(speedFromMbps(mbps), limit, 20.0, events), back(speedFromMbps(mbps), limit, 20.0, events);
    std::vector<std::unique_ptr<Flow>> all;
    for (int i = 0; i < flows; i++) {
        all.push_back(std::make_unique<Flow>(events));
        Flow &flow = *all.back();
        timers.registerTcp(flow.source);
        // As in ns-2 it starts with a window of two packets, and slow start ends with the first loss.
        flow.source._cwnd = 2 * packet_bytes;
        flow.source._ssthresh = 0xffffffff;
        flow.out.lead(flow.there);
        forth.lead(flow.there);
        flow.into.lead(flow.there);
        flow.there.push_back(&flow.sink);
        flow.back.lead(flow.here);
        back.lead(flow.here);
        flow.home.lead(flow.here);
        flow.here.push_back(&flow.source);
        flow.source.connect(flow.there, flow.here, flow.sink, timeFromSec(spread * i / flows));
    }
    while (events.doNextEvent()) {
    }
    for (const auto &flow : all) std::cout << flow->sink._cumulative_ack / packet_bytes << "\n";
    return 0;
}

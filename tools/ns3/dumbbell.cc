// One dumbbell in ns-3: what ackclock's senders and queues are compared with (tools/compare_with_ns3.py compiles and runs
// it). Prints one line of JSON: goodput, mean queue at the bottleneck, mean congestion window, after a warm-up.
//
// Debian: apt-get install g++ libns3-dev

#include <iostream>
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>
#include <string>
#include <vector>

using namespace ns3;

namespace {

// Sampled and traced values after the warm-up.
struct Watch {
    double from;
    Ptr<QueueDisc> discipline;
    Ptr<Queue<Packet>> device;
    double queued = 0;
    unsigned samples = 0;
    std::vector<double> window, since, area;

    void Sample() {
        if (Simulator::Now().GetSeconds() >= from) {
            queued += discipline->GetNPackets() + device->GetNPackets();
            ++samples;
        }
        Simulator::Schedule(MilliSeconds(1), &Watch::Sample, this);
    }

    // The window's area under its course since the warm-up.
    void Close(unsigned flow) {
        double now = std::max(Simulator::Now().GetSeconds(), from);
        area[flow] += window[flow] * (now - since[flow]);
        since[flow] = now;
    }
};

void Changed(Watch *watch, unsigned flow, double segment, uint32_t, uint32_t now) {
    watch->Close(flow);
    watch->window[flow] = now / segment;
}

void Follow(Watch *watch, unsigned flow, double segment, Ptr<BulkSendApplication> source) {
    source->GetSocket()->TraceConnectWithoutContext(
        "CongestionWindow", MakeBoundCallback(&Changed, watch, flow, segment));
}

} // namespace

int main(int argc, char *argv[]) {
    std::string tcp = "ns3::TcpNewReno", queue = "ns3::FifoQueueDisc", rate = "10Mbps", set;
    double delayMs = 20, lasts = 60, warmUp = 10, apart = 0.1;
    unsigned flows = 1, limit = 50;
    CommandLine line;
    line.AddValue("tcp", "TypeId of the congestion control", tcp);
    line.AddValue("queue", "TypeId of the queue discipline", queue);
    line.AddValue("rate", "of the bottleneck", rate);
    line.AddValue("delay", "of the bottleneck, one way, ms", delayMs);
    line.AddValue("limit", "of the queue, packets", limit);
    line.AddValue("flows", "how many", flows);
    line.AddValue("apart", "s between two flows' starts", apart);
    line.AddValue("lasts", "s", lasts);
    line.AddValue("warm", "s not counted", warmUp);
    line.AddValue("set", "attributes: ns3::Type::Name=value, separated by commas", set);
    line.Parse(argc, argv);

    const unsigned segment = 1448;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName(tcp)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 24));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    for (std::size_t at = 0; at < set.size();) {
        std::size_t end = std::min(set.find(',', at), set.size()), equals = set.find('=', at);
        Config::SetDefault(set.substr(at, equals - at), StringValue(set.substr(equals + 1, end - equals - 1)));
        at = end + 1;
    }

    NodeContainer routers(2), senders(flows), receivers(flows);
    InternetStackHelper stack;
    stack.InstallAll();
    PointToPointHelper access, bottleneck;
    access.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    access.SetChannelAttribute("Delay", StringValue("1ms"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    bottleneck.SetDeviceAttribute("DataRate", StringValue(rate));
    bottleneck.SetChannelAttribute("Delay", TimeValue(Seconds(delayMs / 1e3)));
    bottleneck.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
    NetDeviceContainer middle = bottleneck.Install(routers);
    TrafficControlHelper control;
    control.SetRootQueueDisc(queue, "MaxSize", StringValue(std::to_string(limit) + "p"));
    QueueDiscContainer disciplines = control.Install(middle.Get(0));
    Ipv4AddressHelper address;
    address.SetBase("10.0.0.0", "255.255.255.0");
    address.Assign(middle);

    Watch watch{warmUp, disciplines.Get(0), DynamicCast<PointToPointNetDevice>(middle.Get(0))->GetQueue()};
    watch.window.assign(flows, 10);
    watch.since.assign(flows, warmUp);
    watch.area.assign(flows, 0);
    std::vector<Ptr<PacketSink>> sinks;
    for (unsigned flow = 0; flow < flows; ++flow) {
        NetDeviceContainer left = access.Install(senders.Get(flow), routers.Get(0));
        NetDeviceContainer right = access.Install(routers.Get(1), receivers.Get(flow));
        address.SetBase(("10.1." + std::to_string(flow) + ".0").c_str(), "255.255.255.0");
        address.Assign(left);
        address.SetBase(("10.2." + std::to_string(flow) + ".0").c_str(), "255.255.255.0");
        Ipv4Address there = address.Assign(right).GetAddress(1);
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(there, 5000));
        source.SetAttribute("SendSize", UintegerValue(segment * 10));
        ApplicationContainer sending = source.Install(senders.Get(flow));
        sending.Start(Seconds(apart * flow));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(receivers.Get(flow)).Get(0)));
        Simulator::Schedule(Seconds(apart * flow + 1e-6), &Follow, &watch, flow, double(segment),
                            DynamicCast<BulkSendApplication>(sending.Get(0)));
    }
    // Access links queue nowhere but in their devices.
    for (uint32_t node = 0; node < NodeList::GetNNodes(); ++node) {
        Ptr<TrafficControlLayer> layer = NodeList::GetNode(node)->GetObject<TrafficControlLayer>();
        for (uint32_t index = 0; layer && index < NodeList::GetNode(node)->GetNDevices(); ++index) {
            Ptr<NetDevice> device = NodeList::GetNode(node)->GetDevice(index);
            if (device != middle.Get(0) && layer->GetRootQueueDiscOnDevice(device)) {
                layer->DeleteRootQueueDiscOnDevice(device);
            }
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Schedule(MilliSeconds(1), &Watch::Sample, &watch);
    std::vector<uint64_t> before(flows, 0);
    Simulator::Schedule(Seconds(warmUp), [&] {
        for (unsigned flow = 0; flow < flows; ++flow) {
            before[flow] = sinks[flow]->GetTotalRx();
        }
    });
    Simulator::Stop(Seconds(lasts));
    Simulator::Run();

    std::cout << "{\"goodput_bps\": [";
    for (unsigned flow = 0; flow < flows; ++flow) {
        double bits = 8.0 * double(sinks[flow]->GetTotalRx() - before[flow]);
        std::cout << (flow ? ", " : "") << bits / (lasts - warmUp);
    }
    std::cout << "], \"queue_packets\": " << watch.queued / watch.samples << ", \"cwnd_packets\": [";
    for (unsigned flow = 0; flow < flows; ++flow) {
        watch.Close(flow);
        std::cout << (flow ? ", " : "") << watch.area[flow] / (lasts - warmUp);
    }
    std::cout << "]}" << std::endl;
    Simulator::Destroy();
    return 0;
}

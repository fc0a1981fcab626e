// ns3 FLOWS MBPS LIMIT SECONDS SPREAD
//
// dumbbell.tcl for ns-3 (3.37 is Debian's): FLOWS bulk transfers by NewReno with SACK from as many hosts, over one link of MBPS
// and 20 ms whose queue holds LIMIT packets; packets of 1000 bytes on the wire, an ACK for each; they start evenly over SPREAD
// seconds. Prints how many packets each flow delivered. Sends are as large as segments, which ns-3 need not split and join
// then, and buffers do not limit the window.

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

int main(int argc, char **argv) {
    if (argc != 6) {
        std::cerr << "ns3 FLOWS MBPS LIMIT SECONDS SPREAD\n";
        return 2;
    }
    const int flows = std::atoi(argv[1]);
    const std::string mbps = argv[2], limit = argv[3];
    const double seconds = std::atof(argv[4]), spread = std::atof(argv[5]);

    const uint32_t headers = 20 + 20 + 2, segment = 1000 - headers, buffer = 16 << 20;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(segment));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));

    PointToPointHelper access, bottleneck;
    access.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    access.SetChannelAttribute("Delay", StringValue("2ms"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));
    bottleneck.SetDeviceAttribute("DataRate", StringValue(mbps + "Mbps"));
    bottleneck.SetChannelAttribute("Delay", StringValue("20ms"));
    bottleneck.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(limit + "p"));

    NodeContainer routers, sources, destinations;
    routers.Create(2);
    sources.Create(flows);
    destinations.Create(flows);
    InternetStackHelper stack;
    stack.InstallAll();
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    TrafficControlHelper control;
    // A queue discipline in front of the device's queue would be a second queue.
    auto join = [&](PointToPointHelper &kind, Ptr<Node> one, Ptr<Node> other) {
        const NetDeviceContainer devices = kind.Install(one, other);
        const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        control.Uninstall(devices);
        addresses.NewNetwork();
        return interfaces.GetAddress(1);
    };
    join(bottleneck, routers.Get(0), routers.Get(1));
    std::vector<Ipv4Address> ends;
    for (int i = 0; i < flows; i++) {
        join(access, sources.Get(i), routers.Get(0));
        ends.push_back(join(access, routers.Get(1), destinations.Get(i)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer sinks;
    for (int i = 0; i < flows; i++) {
        const InetSocketAddress end(ends[i], 5000);
        BulkSendHelper sender("ns3::TcpSocketFactory", end);
        sender.SetAttribute("SendSize", UintegerValue(segment));
        sender.Install(sources.Get(i)).Start(Seconds(spread * i / flows));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sinks.Add(sink.Install(destinations.Get(i)));
    }
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    for (int i = 0; i < flows; i++) {
        std::cout << DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx() / segment << "\n";
    }
    Simulator::Destroy();
    return 0;
}

// Stations that send datagrams over 802.11n in ns-3: what ackclock's Wi-Fi link is compared with
// (tools/compare_wifi_with_ns3.py compiles and runs it). The packets have 1500 bytes with their IP header, and always wait.
// Prints one line of JSON: the packets per second of each station, after a warm-up.
//
// Debian: apt-get install g++ libns3-dev

#include <iostream>
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/mobility-module.h>
#include <ns3/network-module.h>
#include <ns3/wifi-module.h>
#include <string>
#include <vector>

using namespace ns3;

int main(int argc, char *argv[]) {
    unsigned stations = 1, ampdu = 65535, run = 1;
    double lasts = 20, warmUp = 2;
    std::string mode = "HtMcs7";
    CommandLine words;
    words.AddValue("stations", "stations that send to the same one", stations);
    words.AddValue("ampdu", "the most bytes in an aggregate; 0 for no aggregation", ampdu);
    words.AddValue("mode", "the rate of data frames", mode);
    words.AddValue("run", "number of the random numbers' run", run);
    words.Parse(argc, argv);
    RngSeedManager::SetRun(run);
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", StringValue("999999"));
    Config::SetDefault("ns3::WifiMacQueue::MaxDelay", TimeValue(Seconds(60)));

    NodeContainer nodes(stations), point(1);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211n);
    wifi.SetRemoteStationManager(
        "ns3::ConstantRateWifiManager", "DataMode", StringValue(mode), "ControlMode", StringValue("OfdmRate24Mbps"));
    // Without beacons: an ad-hoc network of stations beside each other.
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac", "BE_MaxAmpduSize", UintegerValue(ampdu), "QosSupported", BooleanValue(true));
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    NetDeviceContainer pointDevice = wifi.Install(phy, mac, point);

    MobilityHelper mobility;
    auto places = CreateObject<ListPositionAllocator>();
    for (unsigned number = 0; number < stations; ++number)
        places->Add(Vector(1, 0, 0));
    places->Add(Vector(0, 0, 0));
    mobility.SetPositionAllocator(places);
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    mobility.Install(point);

    InternetStackHelper stack;
    stack.Install(nodes);
    stack.Install(point);
    Ipv4AddressHelper address;
    address.SetBase("10.0.0.0", "255.255.255.0");
    address.Assign(devices);
    Ipv4Address there = address.Assign(pointDevice).GetAddress(0);

    std::vector<Ptr<UdpServer>> servers;
    for (unsigned number = 0; number < stations; ++number) {
        UdpServerHelper server(9 + number);
        servers.push_back(DynamicCast<UdpServer>(server.Install(point).Get(0)));
        UdpClientHelper client(there, 9 + number);
        client.SetAttribute("MaxPackets", UintegerValue(4294967295u));
        client.SetAttribute("Interval", TimeValue(MicroSeconds(150)));
        client.SetAttribute("PacketSize", UintegerValue(1472)); // 1500 bytes with UDP's and IP's headers
        ApplicationContainer sends = client.Install(nodes.Get(number));
        sends.Start(Seconds(0.5 + 0.01 * number));
    }
    std::vector<uint64_t> before(stations);
    Simulator::Schedule(Seconds(warmUp), [&] {
        for (unsigned number = 0; number < stations; ++number)
            before[number] = servers[number]->GetReceived();
    });
    Simulator::Stop(Seconds(lasts));
    Simulator::Run();
    std::cout << "[";
    for (unsigned number = 0; number < stations; ++number)
        std::cout << (number ? ", " : "") << (servers[number]->GetReceived() - before[number]) / (lasts - warmUp);
    std::cout << "]" << std::endl;
    Simulator::Destroy();
}

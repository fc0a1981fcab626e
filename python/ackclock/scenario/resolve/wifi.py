"""The engine's constants of a Wi-Fi medium."""

from __future__ import annotations

from ackclock._native import WifiSettings
from ackclock.scenario.model.wifi import Wifi
from ackclock.scenario.units import rate_bps, size_bytes, time_s


def wifi_settings(wifi: Wifi) -> WifiSettings:
    """The constants that a description says."""
    return WifiSettings(
        rate_bps(wifi.phy_rate),
        time_s(wifi.symbol),
        time_s(wifi.preamble),
        rate_bps(wifi.control_rate),
        time_s(wifi.slot),
        time_s(wifi.sifs),
        wifi.aifsn,
        wifi.cw_min,
        wifi.cw_max,
        wifi.retries,
        wifi.max_frames,
        size_bytes(wifi.max_size),
        time_s(wifi.max_airtime),
        wifi.contenders,
    )

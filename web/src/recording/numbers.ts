/** Numbers of a recording: the life of a packet, counters of flows and links at a time. */

import { get, query } from "./server";

export interface PacketEvent {
  readonly t: number;
  readonly what: string;
  readonly link: number | null;
  readonly node: number | null;
  readonly kind: string;
  readonly size_bytes: number;
  readonly flow: number;
  readonly seq: number | null;
  readonly source?: string | null;
  readonly destination?: string | null;
}

export interface Packet {
  readonly uid: number;
  readonly events: readonly PacketEvent[];
}

export interface FlowCounters {
  readonly id: number;
  readonly sent: number;
  readonly received: number;
  readonly dropped: number;
  readonly marked: number;
  readonly received_bytes?: number;
}

export interface LinkCounters {
  readonly id: number;
  readonly queue_packets: number;
  readonly queue_bytes: number;
  readonly sent?: number;
  readonly dropped?: number;
  readonly marked?: number;
}

export interface Counters {
  readonly t: number;
  readonly flows: readonly FlowCounters[];
  readonly links: readonly LinkCounters[];
}

export function packet(id: string, uid: number): Promise<Packet> {
  return get<Packet>(`recordings/${encodeURIComponent(id)}/packet/${uid}`);
}

export function counters(id: string, t: number, signal?: AbortSignal): Promise<Counters> {
  return get<Counters>(`recordings/${encodeURIComponent(id)}/state${query({ t })}`, signal);
}

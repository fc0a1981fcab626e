/** Which packets are shown: all, but those of flows and kinds that were taken out. */

export class Filter {
  readonly flows: ReadonlySet<number>;
  readonly kinds: ReadonlySet<number>;
  private readonly flowShown = new Uint8Array(65536).fill(1);
  private readonly kindShown = new Uint8Array(256).fill(1);

  /** `flows` by id and `kinds` by place are the hidden ones. */
  constructor(flows: Iterable<number> = [], kinds: Iterable<number> = []) {
    this.flows = new Set(flows);
    this.kinds = new Set(kinds);
    for (const flow of this.flows) this.flowShown[flow] = 0;
    for (const kind of this.kinds) this.kindShown[kind] = 0;
  }

  shows(flow: number, kind: number): boolean {
    return this.flowShown[flow] === 1 && this.kindShown[kind] === 1;
  }

  toggledFlow(flow: number): Filter {
    return new Filter(toggled(this.flows, flow), this.kinds);
  }

  toggledKind(kind: number): Filter {
    return new Filter(this.flows, toggled(this.kinds, kind));
  }

  /** Only this flow, or all again if it is alone already. */
  onlyFlow(flow: number, all: readonly number[]): Filter {
    const others = all.filter((id) => id !== flow);
    const alone = !this.flows.has(flow) && others.every((id) => this.flows.has(id));
    return new Filter(alone ? [] : others, this.kinds);
  }
}

function toggled(hidden: ReadonlySet<number>, one: number): Set<number> {
  const next = new Set(hidden);
  if (!next.delete(one)) next.add(one);
  return next;
}

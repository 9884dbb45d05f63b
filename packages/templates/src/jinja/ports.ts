/** The clock of `strftime_now`. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number
  /** Minutes that local time is ahead of UTC at that moment. @default the zone of the machine */
  offsetMinutes?(now: number): number
}

/** Ports of a rendering. */
export interface JinjaPorts {
  /** @default the clock and zone of the machine */
  readonly clock?: Clock | undefined
  /** A number in 0..1, for the filter `random` and the function `lipsum`. @default Math.random */
  readonly random?: (() => number) | undefined
}

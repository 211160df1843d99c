declare module '../../registry/tables.ts' {
  interface Tables {
    /** What the rules of an installation have seen so far, in parts of a limited size. */
    alarm_states: { installation_id: number; part: number; state: string }
    /**
     * Installations are divided over nodes by these numbers. `seen_at`: the holder watched until
     * then. `held`: how long nobody watched, together.
     */
    alarm_partitions: { number: number; holder: string; seen_at: number; held: number }
  }
}

export {}

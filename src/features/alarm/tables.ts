declare module '../../registry/tables.ts' {
  interface Tables {
    /** What the rules of an installation have seen so far, in parts of a limited size. */
    alarm_states: { installation_id: number; part: number; state: string }
  }
}

export {}

declare module '../../registry/tables.ts' {
  interface Tables {
    /** The owner of each client id of an external broker, by its last sign-in. */
    broker_clients: {
      client_id: string
      username: string
      owner: string
      /**
       * A reference to the credential, to check it again. It is not secret; empty: the credential has
       * ended.
       */
      sealed: string
      /** 0: the broker still keeps a session of the previous owner, which must end first. */
      seen: number
    }
  }
}

export {}

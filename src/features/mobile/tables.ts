declare module '../../registry/tables.ts' {
  interface Tables {
    mobile_devices: { firebase_token: string; device_id: string; user_id: number; created: number }
  }
}

export {}

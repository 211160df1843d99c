/** [MQTT5 2.4] The reason codes that the broker sends. */
export const reasons = {
  success: 0x00,
  noSubscription: 0x11,
  malformed: 0x81,
  protocolError: 0x82,
  implementation: 0x83,
  unsupportedVersion: 0x84,
  badClientId: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  unavailable: 0x88,
  shuttingDown: 0x8b,
  badAuthMethod: 0x8c,
  keepAlive: 0x8d,
  takenOver: 0x8e,
  badFilter: 0x8f,
  badTopic: 0x90,
  unknownPacketId: 0x92,
  receiveMaximum: 0x93,
  badTopicAlias: 0x94,
  tooLarge: 0x95,
  quota: 0x97,
  administrative: 0x98
} as const

export type Reason = (typeof reasons)[keyof typeof reasons]

/** A packet that ends its connection, and why. */
export class BadPacket extends Error {
  readonly reason: Reason

  constructor(reason: Reason, text: string) {
    super(text)
    this.reason = reason
  }
}

export const malformed = (text: string): BadPacket => new BadPacket(reasons.malformed, text)
export const protocolError = (text: string): BadPacket => new BadPacket(reasons.protocolError, text)

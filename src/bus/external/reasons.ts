/** [MQTT5 2.4] The reasons that an operator can do something about. */
const reasons = new Map([
  [0x01, 'it does not speak MQTT 5'],
  [0x80, 'unspecified error'],
  [0x84, 'it does not speak MQTT 5'],
  [0x85, 'client identifier not valid'],
  [0x86, 'bad user name or password'],
  [0x87, 'not authorized'],
  [0x88, 'server unavailable'],
  [0x89, 'server busy'],
  [0x8a, 'banned'],
  [0x8b, 'server shutting down'],
  [0x8d, 'keep alive timeout'],
  [0x8e, 'session taken over: another process reads with the same registry, or a copy of it'],
  [0x8f, 'topic filter invalid'],
  [0x90, 'topic name invalid'],
  [0x93, 'receive maximum exceeded'],
  [0x95, 'packet too large'],
  [0x97, 'quota exceeded'],
  [0x98, 'administrative action'],
  [0x9a, 'retain not supported'],
  [0x9b, 'QoS not supported'],
  [0x9e, 'shared subscriptions not supported'],
  [0x9f, 'connection rate exceeded'],
  [0xa2, 'wildcard subscriptions not supported']
])

/** A broker may say as much as it likes. */
const MAX_TOLD = 200

/** `told` is what the broker itself says about it. */
export function reasonText(code: number, told?: string): string {
  const text = reasons.get(code) ?? `reason code ${code}`
  return told ? `${text} (${told.slice(0, MAX_TOLD)})` : text
}

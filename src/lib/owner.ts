/**
 * `user:7` of the owner `user:7 key:12`. A mounted key has MQTT sessions of its own, but shares the
 * limits of its account. [ADR-0062]
 */
export function accountOf(owner: string): string {
  const end = owner.indexOf(' ')
  return end < 0 ? owner : owner.slice(0, end)
}

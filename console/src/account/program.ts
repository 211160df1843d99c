/** `Chrome on Linux` of what a browser says of itself; another program as it is. */
export function programOf(agent: string): string {
  const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome' }
  const [, name] = Object.entries(browsers).find(([word]) => agent.includes(`${word}/`)) ?? []
  const browser = name ?? (agent.includes('Safari/') ? 'Safari' : undefined)
  const [system] = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(agent) ?? []
  return browser && system ? `${browser} – ${system}` : agent
}

/**
 * Server and database of a URL, as the driver reads it. Without user, password and options, so it
 * can be shown.
 */
export function postgresPlace(url: string): { server: string; database: string } {
  const { hostname, port, pathname, searchParams } = new URL(url)
  const host = searchParams.get('host') || hostname || 'localhost'
  const server = `${host}:${searchParams.get('port') || port || 5432}`
  return { server, database: pathname.slice(1) }
}

/** The path of a route as the contract writes it: `/api/v2/user/{user_id}/meta/{meta_key}`. */
export const routePath = (url: string): string =>
  url
    .replace(/(?<=.)\/$/, '')
    .replace(/:(\w+)/g, '{$1}')
    .replace(/\*$/, '{meta_key}')

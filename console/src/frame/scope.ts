/** Whether it is meant for all installations or the assigned ones is for who gives it. */
export const withoutScope = (permission: string): string =>
  permission.replace(/\/(all|assigned)$/, '')

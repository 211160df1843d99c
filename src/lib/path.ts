import { sep } from 'node:path'

/** Whether a path is a directory or something in it. Both are absolute. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)

import { CaracalError } from '../../../tools/client/client.ts'

/** A refusal that names no permission is about this object: `refused` says why. */
export async function told<T>(work: Promise<T>, refused: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isAboutObject = error instanceof CaracalError && error.status === 403
    if (isAboutObject && error.permissions.length === 0) throw new CaracalError(400, refused)
    throw error
  }
}

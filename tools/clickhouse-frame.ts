/**
 * In chDB a SELECT that fails half-way leaves the rows it has written, and a later answer of the
 * same session begins with them. So each query is sent between two unique marks, and its answer is
 * what is between them.
 */
export const framed = (sql: string, mark: string): string =>
  `SELECT '${beginOf(mark)}' FORMAT TSVRaw;\n${sql}\n;\nSELECT '${endOf(mark)}' FORMAT TSVRaw`

export function unframed(bytes: Uint8Array, mark: string): Buffer {
  const answer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const begin = `${beginOf(mark)}\n`
  const from = answer.indexOf(begin)
  const to = answer.lastIndexOf(`${endOf(mark)}\n`)
  if (from === -1 || to < from) throw new Error('chDB gave the answer of another query')
  return answer.subarray(from + begin.length, to)
}

const beginOf = (mark: string) => `-- ${mark} begin --`
const endOf = (mark: string) => `-- ${mark} end --`

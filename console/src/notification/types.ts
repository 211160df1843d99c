import type { Schemas } from '../../../tools/client/client.ts'

export type Message = Schemas['Message']
export type Output = Schemas['Output']

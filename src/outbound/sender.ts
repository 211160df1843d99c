export type Letter = {
  kind: 'sms' | 'mail'
  to: string
  subject?: string
  text: string
  /** What stands in the text, once more for programs that read the outbox; never sent. */
  key?: string
  code?: string
}

/** Gets a letter on its way within seconds; rejects when it could not be handed over. */
export type Sender = { send(letter: Letter): Promise<void> }

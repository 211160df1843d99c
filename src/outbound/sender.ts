export type Letter = {
  kind: 'sms' | 'mail'
  to: string
  subject?: string
  text: string
  /**
   * The key or code in the text again, for programs that read the outbox. It is never sent
   * separately.
   */
  key?: string
  code?: string
}

/** Hands over a letter within seconds; rejects when that fails. */
export type Sender = { send(letter: Letter): Promise<void> }

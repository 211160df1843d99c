export type Letter = { kind: 'sms' | 'mail'; to: string; subject?: string; text: string }

/** Gets a letter on its way within seconds; rejects when it could not be handed over. */
export type Sender = { send(letter: Letter): Promise<void> }

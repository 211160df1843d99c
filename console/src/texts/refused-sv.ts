import type { refused as en } from './refused-en.ts'

export const refused: typeof en = {
  help: 'Meddelanden som plattformen tog emot men inte lagrade eller skickade vidare, de nyaste först.',
  empty: 'Inget har nekats.',
  emptyHelp: 'När en enhet skickar något som inte kan lagras visas det här med orsaken.',
  when: 'När',
  why: 'Varför, och vad man gör',
  message: 'Meddelande',
  sender: 'Avsändare',
  older: 'Visa äldre'
}

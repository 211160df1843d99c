export const refused = {
  help: 'Messages that the platform took but did not store or pass on, the newest first.',
  empty: 'Nothing was refused.',
  emptyHelp:
    'When a device sends something that cannot be stored, it is listed here with the reason.',
  when: 'When',
  why: 'Why, and what to do',
  message: 'Message',
  sender: 'Sender',
  older: 'Show older ones'
}

const values = (n: number) => (n === 1 ? '1 value' : `${n.toLocaleString('en')} values`)

export const valuesTexts = {
  title: 'Values as files',
  out: 'Values out',
  outHelp: 'Historic values as a file, as they are stored. Every value is a line.',
  topics: 'Topics',
  topicsHelp: 'Topics or filters with + and #. Empty: all of them.',
  topicsToDelete: 'Topics or filters with + and #.',
  noTopics: 'No topics',
  from: 'From',
  to: 'To',
  endHelp: { from: 'Empty: the oldest value', to: 'Empty: the newest value' },
  format: 'Format',
  download: 'Download',
  stop: 'Stop',
  came: (size: string) => `${size} so far`,
  in: 'Values in',
  inHelp:
    'Historic values from a CSV or NDJSON file, also packed with gzip. A value that is there already is not stored twice. Subscribers do not hear of them.',
  choose: 'Choose a file',
  reading: (name: string) => `Reading ${name}`,
  stopped: 'Stopped. What was read until then is stored.',
  imported: (n: number, rejected: number) =>
    `${values(n)} stored, ${rejected === 1 ? '1 line' : `${rejected} lines`} rejected`,
  line: (line: number, message: string) => `Line ${line}: ${message}`,
  more: (n: number) => `and ${n} more`,
  delete: 'Delete values',
  deleteHelp: 'For values that a broken sensor has sent. Backups still have them.',
  count: 'Count them first',
  question: (n: number) => `Delete ${values(n)}?`,
  between: (from: string, to: string) => `From ${from} to ${to}, of`,
  forGood: 'They are gone for good, and the latest values follow.',
  keep: 'Keep them',
  go: (n: number) => `Delete ${values(n)}`,
  deleted: (n: number) => `${values(n)} deleted`
}

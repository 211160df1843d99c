export const many = {
  selection: 'What is selected',
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all that are listed',
  selected: (n: number) => `${n} selected`,
  actions: {
    set: 'Set metadata',
    remove: 'Remove metadata',
    type: 'Set the type',
    delete: 'Delete'
  },
  clear: 'Select none',
  csvOut: 'CSV',
  csvIn: 'CSV in',
  cancel: 'Cancel',
  key: 'Key',
  value: 'Value',
  apply: (n: number) => (n === 1 ? 'Change 1' : `Change ${n}`),
  having: (n: number, all: number) => `${n} of ${all} have this key.`,
  deleteTitle: (n: number) => (n === 1 ? 'Delete 1?' : `Delete ${n}?`),
  deleteGo: (n: number) => (n === 1 ? 'Delete 1' : `Delete ${n}`),
  names: (names: string, more: number) => (more > 0 ? `${names} and ${more} more` : names),
  progress: (done: number, total: number) => `${done} of ${total}`,
  done: (n: number) => (n === 1 ? '1 is changed.' : `${n} are changed.`),
  stopped: (done: number, left: number) =>
    `Stopped: ${done} changed, ${left} not touched. You can do the rest later.`,
  failed: (n: number) => (n === 1 ? '1 failed' : `${n} failed`),
  stop: 'Stop',
  close: 'Close',
  preview: 'What the table would change',
  plan: (changes: number, creations: number, same: number) =>
    `${changes} would change, ${creations} would be created, ${same} stay as they are.`,
  mayNotAdd: (n: number) => `You may not create, so ${n} new rows are left out.`,
  rowFaults: (n: number) => (n === 1 ? '1 row is left out:' : `${n} rows are left out:`),
  rowFault: (line: number, why: string) => `Line ${line}: ${why}`,
  faults: {
    'no such id': 'there is no such id here.',
    twice: 'this id was in an earlier row.',
    'no type': 'a new one needs a type.',
    'too many cells': 'it has more cells than the first row has names.'
  },
  unreadable: {
    empty: 'The table is empty.',
    'no id': 'The first row must have the names of the columns, and one of them is id.',
    'column twice': 'Two columns have the same name.',
    'too large': 'The table is larger than 10 MB.'
  },
  of: 'Name',
  was: 'Now',
  becomes: 'Then',
  removed: 'removed',
  isNew: 'new',
  andMore: (n: number) => `and ${n} more cells`
}

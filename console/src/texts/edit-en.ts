export const edit = {
  title: 'Somebody else changed this in the meantime.',
  help: 'Nothing of yours is saved yet, and nothing is lost. Choose how to go on.',
  field: 'Field',
  was: 'Before',
  theirs: 'Now',
  mine: 'Yours',
  empty: 'empty',
  same: 'as before',
  yes: 'yes',
  no: 'no',
  keepMine: 'Keep my changes on top',
  takeTheirs: 'Take what is there now'
}

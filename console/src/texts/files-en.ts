export const files = {
  title: 'Files'
}

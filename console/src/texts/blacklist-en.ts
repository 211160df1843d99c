export const blacklist = {
  title: 'Blacklist'
}

export const site = {
  title: 'Settings'
}

export const organizations = {
  title: 'Organizations'
}

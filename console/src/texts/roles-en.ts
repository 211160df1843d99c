export const roles = {
  title: 'Roles'
}

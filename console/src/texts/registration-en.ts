export const registration = {
  title: 'Registration'
}

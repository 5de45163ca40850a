import { graphql } from '../../graphql/graphql';

export const requestPasswordResetDocument = graphql<'RequestPasswordReset'>(`
  mutation RequestPasswordReset($email: String!) { requestPasswordReset(input: {email: $email}) }`);

export const resetPasswordDocument = graphql<'ResetPassword'>(`
  mutation ResetPassword($token: String!, $password: String!) {
    resetPassword(input: {token: $token, newPassword: $password})
  }`);
